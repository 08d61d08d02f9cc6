"""How many public queries there may be at most, where options and files say a number: nothing else is loaded for it."""

MOST_QUERIES = 10**6
