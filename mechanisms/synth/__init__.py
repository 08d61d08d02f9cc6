"""A private synthetic table: which method makes it, and what is known about it afterwards."""
