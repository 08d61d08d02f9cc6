"""Private models by other people's methods, with their privacy accounted for: what ours are compared with."""
