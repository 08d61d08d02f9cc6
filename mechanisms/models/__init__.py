"""Linear models from a release: trained, confirmed by a query, certified, planned."""
