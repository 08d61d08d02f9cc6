"""Table 3 of wang2023: post-processing at epsilon 4 in total, by our implementation and on our tables."""

from paper_figures._wang2023_runs import table_figure

FIGURE = table_figure(3, epsilon=4)
