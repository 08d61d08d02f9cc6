"""RAP and RAP++: rows relaxed to points of simplices and of [0, 1], moved until smooth queries are near noisy answers."""
