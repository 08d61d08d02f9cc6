"""Tables, schemas, and records as codes."""
