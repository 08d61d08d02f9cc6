"""What is asked of records, in exact integers."""
