"""Other people's ways to private models, with their privacy accounted for: what ours are compared with."""
