"""An account: what was ever spent on the people in a table, whatever schema, file or command; kept in one file."""
