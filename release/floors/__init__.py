"""A release of floors: the least risk that linear models of several norms have on a table."""
