"""Files that are read strictly and appear whole."""
