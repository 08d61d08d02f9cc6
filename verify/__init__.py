"""Is what the papers say true? Claims with verdicts that anyone can run again."""
