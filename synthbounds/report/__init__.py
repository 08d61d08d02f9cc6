"""The report for people: one HTML page that says what is certified, what it means, and what it does not say."""
