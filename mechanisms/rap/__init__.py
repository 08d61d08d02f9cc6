"""Rows relaxed to points of simplices and of [0, 1], moved until smooth queries of them are near noisy answers."""
