"""A query for a few numbers about models: losses, least losses of classes, areas under curves, counts in bins."""
