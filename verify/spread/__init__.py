"""Independent items, made by this process, by several on this machine or by a cluster: the same answers in order."""
