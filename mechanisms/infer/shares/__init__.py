"""Shares of records: in the table and in the population, within a group, and compared between groups."""
