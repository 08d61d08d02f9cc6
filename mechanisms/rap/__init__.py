"""Rows relaxed to points of simplices and of [0, 1], moved until smooth queries on them are near noisy answers."""
