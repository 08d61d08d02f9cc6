"""Sources of records: a table file, an array of codes, or batches of them; one pass, checked, counted.

All access to records goes through a Source. It gives batches of codes, or exact tables of counts, and knows afterwards
how many records there were: that number is for the steward only unless n is public.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from bounds.errors import DataError
from release.data.domain import Domain, require_records
from release.data.rows import Rows
from release.data.schema import Schema
from release.data.tables import IGNORE, REFUSE, read_batches

if TYPE_CHECKING:
    from release.data.counting import Counts
    from release.data.domain import Codes

    Records: TypeAlias = "Source" | Codes | Iterable[Codes]
    """What may be given as records."""


class Source(ABC):
    """Records as codes of a public domain. A source whose engine does the counting overrides `counts`."""

    is_held: ClassVar[bool] = True
    """Whether all records are read once and kept for further use; otherwise they are read again."""

    def __init__(self, domain: Domain) -> None:
        self.domain, self._n = domain, -1

    @property
    def n(self) -> int:
        """How many records were read; known once they have been."""
        if self._n < 0:
            raise DataError("the records have not been read yet")
        return self._n

    def __len__(self) -> int:
        return self.n

    @property
    def is_read(self) -> bool:
        return self._n >= 0

    def batches(self) -> Iterator[Codes]:
        """All records, some at a time."""
        found = 0
        for batch in self._raw():
            require_records(batch, self.domain)
            found += len(batch)
            yield batch
        self._n = found

    def counts(self, sets: Iterable[Sequence[int]]) -> dict[tuple[int, ...], Counts]:
        """Exact tables of counts of these sets of columns, one axis per column."""
        from release.data.counting import counts

        return counts(self.batches(), self.domain.sizes, sets)

    @abstractmethod
    def _raw(self) -> Iterable[Codes]:
        """Batches that have not been checked."""


class TableSource(Source):
    """A table file, or rows stored elsewhere. The header is checked at once, the rows when they are read.

    `private` keeps everything that was read out of messages, and lets a table without rows pass unless
    `size_is_public`: otherwise the number of records is private.
    """

    def __init__(
        self,
        path: str | Path | Rows,
        schema: Schema,
        *,
        ignore_extra: bool = False,
        private: bool,
        size_is_public: bool = True,
    ) -> None:
        super().__init__(schema.domain)
        self._batches = read_batches(
            path,
            schema,
            extra=IGNORE if ignore_extra else REFUSE,
            echo_values=not private,
            allow_empty=not size_is_public,
        )

    def _raw(self) -> Iterable[Codes]:
        return self._batches


class RecordsSource(Source):
    """An array of codes, or batches of them."""

    def __init__(self, records: Codes | Iterable[Codes], domain: Domain) -> None:
        super().__init__(domain)
        self._records = records

    def _raw(self) -> Iterable[Codes]:
        import numpy as np

        return [self._records] if isinstance(self._records, np.ndarray) else self._records


def as_source(records: Records, domain: Domain) -> Source:
    """The records as a source; if they are one already, it must have this domain."""
    if isinstance(records, Source):
        if records.domain != domain:
            raise DataError("the records are codes of another domain")
        return records
    return RecordsSource(records, domain)
