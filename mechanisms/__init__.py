"""Everything made from a private release, and the systems of the papers."""
