"""A law of many columns from noisy tables of few: the one estimate that they determine, and how near a fit is."""
