"""Boedihardjo's algorithm, from a question to rows."""
