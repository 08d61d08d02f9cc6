"""Questions about records, in exact integers."""
