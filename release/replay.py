"""Noise that was drawn before, in place of new noise: finishing an interrupted release without paying for it again.

The command runs again as before, but `measure`, `choose` and `perturb` take the contents of the recovery file, in
order, and refuse anything that has changed. The table is not opened: records that all have the first codes take its
place, as many as there are if that is public. So the result is a function of published numbers alone, and nothing is
spent.

With the table a release goes on where the file ends, if all of it was recorded before its first noise: what was not
drawn yet is drawn now, each part once. Noise that may have been drawn and was not kept is spent: it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bounds.errors import DataError
from release.files.digest import canonical_json

if TYPE_CHECKING:
    from release.data.domain import Codes, Domain
    from release.data.source import Source
    from release.recovery_file import Recovery

_BATCH = 2**16


class NothingMore(DataError):
    """The command would draw more than its recovery file holds."""


@dataclass
class Replay:
    """The contents of a recovery file, taken one after the other."""

    recovery: Recovery
    goes_on: bool = False
    """The table is present: after the contents of the file, noise is drawn."""
    at: int = 0

    @property
    def has_more(self) -> bool:
        return self.at < len(self.recovery.measurements)

    @property
    def records(self) -> int:
        """How many records take the place of the table: if the number is private, nothing depends on it."""
        return self.recovery.records or 1

    def next(self, like: Mapping[str, Any], header: Mapping[str, Any] | None) -> dict[str, Any]:
        """What was drawn next; all that is known about it in advance must be unchanged."""
        where, held = f"recovery file {self.recovery.path.name}", self.recovery.measurements
        if not self.has_more:
            raise NothingMore(
                f"{where}: contains only {len(held)} of the draws of the release; without the table no more can be "
                "drawn, and these cannot be used on their own"
            )
        found = held[self.at]
        is_last = self.at == len(held) - 1
        if any(canonical_json(found.get(key)) != canonical_json(value) for key, value in like.items()) or (
            is_last and canonical_json(header or {}) != canonical_json(self.recovery.header)
        ):
            raise DataError(
                f"{where}: draw {self.at + 1} is not what the command would draw now; files that it reads, or versions "
                "of the software, differ from those of the interrupted run"
            )
        self.at += 1
        return dict(found)

    def chosen(self, names: object, like: Mapping[str, Any], header: Mapping[str, Any] | None) -> int:
        """The place that was chosen next, among these names."""
        found = self.next(like, header)
        place = found.get("chosen")
        if type(place) is not int or not 0 <= place < like["of"]:
            raise DataError(f"recovery file {self.recovery.path.name}: chosen: must be a place among {like['of']}")
        if isinstance(names, list) and canonical_json(names[place]) != canonical_json(found.get("name")):
            raise DataError(
                f"recovery file {self.recovery.path.name}: name: is not what the command finds at the place that was "
                "chosen; versions of the software differ from those of the interrupted run"
            )
        return place

    def stand_in(self, domain: Domain) -> Source:
        """Records in the place of the table."""
        from release.data.source import RecordsSource

        return RecordsSource(self._batches(domain), domain)

    def same(self, table: Source) -> Source:
        """The records of the table; if their number is public, there must be as many as there were."""
        from release.data.source import RecordsSource

        return RecordsSource(self._as_many(table), table.domain)

    def _as_many(self, table: Source) -> Iterator[Codes]:
        yield from table.batches()
        if self.recovery.records not in (None, table.n):
            raise DataError("the table does not have as many records as that of the interrupted run")

    def _batches(self, domain: Domain) -> Iterator[Codes]:
        import numpy as np

        for start in range(0, self.records, _BATCH):
            yield np.zeros((min(_BATCH, self.records - start), domain.p), dtype=domain.code_type)
