"""How good a finished synthetic table is, seen beside the real one: never private, and stamped so."""
