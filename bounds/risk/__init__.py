"""Excess risk of linear models trained on synthetic data: upper and lower bounds, certified."""
