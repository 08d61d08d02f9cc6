"""Private regression: a linear model from records, or from a release, by the methods of the papers."""
