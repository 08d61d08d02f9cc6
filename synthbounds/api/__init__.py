"""The front door in Python: one typed function for every command, and what goes with them. It computes nothing itself.

Every module declares its names in `__all__`, and `synthbounds` offers them all. Modules are light: the mathematics is
imported when a function is called. The table of commands in `commands` says which function answers which command.
"""
