"""The log of a private mechanism that measures tables and chooses what to measure next."""
