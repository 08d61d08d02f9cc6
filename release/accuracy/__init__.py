"""A release of the largest and the mean error of a synthetic table over a workload."""
