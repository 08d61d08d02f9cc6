"""Whether floats are taken as numbers, which is a setting of the whole process."""

from bounds.exact import strict

__all__ = ["strict"]
