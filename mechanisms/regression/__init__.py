"""Private regression: a linear model of records, or of a release, by the methods of the papers."""
