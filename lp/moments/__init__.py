"""Private moments of a table for linear models: the feature map, the noisy sums, and what is made from them."""
