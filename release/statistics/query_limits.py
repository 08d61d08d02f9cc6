"""The largest number of public queries that options and files may give: nothing else is loaded for it."""

MOST_QUERIES = 10**6
