"""Information projection: weights on given points, as near to those they had as statistics that are wanted allow."""
