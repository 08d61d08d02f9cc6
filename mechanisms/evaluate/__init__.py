"""How good a finished synthetic table is, compared with the real one: never private, and stamped so."""
