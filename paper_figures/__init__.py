"""Figures and tables of the papers, computed again and drawn beside what the papers print: `synthbounds figures`."""
