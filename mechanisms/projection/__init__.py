"""Information projection: weights on given points, as near to their base weights as the target statistics allow."""
