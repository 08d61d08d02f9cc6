"""Whether what the papers say is true: claims with verdicts that anyone can check again."""
