"""What to expect before anything is spent."""
