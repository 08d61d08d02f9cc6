"""Whether floats are accepted as numbers, a setting of the whole process."""

from bounds.exact import strict

__all__ = ["strict"]
