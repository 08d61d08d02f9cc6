"""What all releases that compare a finished table with the real one have in common."""
