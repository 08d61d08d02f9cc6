"""Shares of records: in the table and in the population, among some of the records, and between groups."""
