"""Functions that a mark names where an expression would be too long: of records, of limits, of answers of the API."""
