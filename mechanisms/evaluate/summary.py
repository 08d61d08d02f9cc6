"""Many errors as three numbers: how many there are, their mean, and the largest, with its place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Errors:
    """Errors of one kind; there may be none."""

    count: int
    mean: float | None
    largest: float | None
    where: str
    """The columns, and perhaps the threshold, of the largest."""
    undefined: int = 0
    """How many have no error, such as a correlation with a column that never changes."""


class Tally:
    """Collects errors one by one."""

    def __init__(self) -> None:
        self._count, self._sum, self._undefined = 0, 0.0, 0
        self._largest, self._where = -1.0, ""

    def add(self, error: float | None, where: str, *, total: float | None = None, count: int = 1) -> None:
        """One error; or the largest of `count`, which sum to `total`."""
        if error is None:
            self._undefined += 1
            return
        self._count += count
        self._sum += error if total is None else total
        if error > self._largest:
            self._largest, self._where = error, where

    @property
    def found(self) -> Errors:
        some = self._count > 0
        return Errors(
            count=self._count,
            mean=self._sum / self._count if some else None,
            largest=self._largest if some else None,
            where=self._where,
            undefined=self._undefined,
        )
