"""A distribution of many columns from noisy tables of few: the one estimate they determine, and how near a fit is."""
