"""Which pairs of data sets a privacy statement compares. Nothing about privacy is said without it."""

from __future__ import annotations

from enum import Enum

from bounds.errors import ParameterError


class Adjacency(Enum):
    """Which pairs of data sets a privacy statement compares."""

    REPLACE_ONE = "replace-one"
    ADD_REMOVE = "add-remove"


def read_adjacency(value: object) -> Adjacency:
    """An adjacency from its name.

    >>> read_adjacency("add/remove")
    <Adjacency.ADD_REMOVE: 'add-remove'>
    """
    if isinstance(value, Adjacency):
        return value
    text = "add-remove" if value == "add/remove" else value
    for adjacency in Adjacency:
        if adjacency.value == text:
            return adjacency
    raise ParameterError("adjacency", value, "replace-one or add-remove", "every privacy statement needs it")
