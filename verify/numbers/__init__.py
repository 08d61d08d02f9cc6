"""Numbers of proof pages: the mathematics behind them, recomputed; marks in the pages name these functions."""
