"""An account: everything ever spent on the people in a table, by whatever schema, file or command; kept in one file."""
