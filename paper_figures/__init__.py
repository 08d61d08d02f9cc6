"""Figures and tables of the papers, recomputed and drawn next to what the papers print: `synthbounds figures`."""
