"""Numbers of proof pages: the mathematics behind them, computed anew; marks in the pages name these functions."""
