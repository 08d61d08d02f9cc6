"""Rows of a log, from the distribution that its method fits to the measurements: a function of the log and a seed.

Only this module knows which distribution belongs to which method. No record is read, and nothing more is spent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from bounds.errors import NotCertified
from mechanisms.select.settings import GEM, MERF, RAP, RAP_PP
from release.data.counting import counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.generators.outputs import GeneratedRows
    from mechanisms.pgm.certificate import FitCertificate
    from mechanisms.rap.rows import RapRows
    from mechanisms.tilt.rows import DrawnRows
    from release.data.domain import Codes
    from release.log.file import MarginalLog

    Floats = NDArray[np.float64]
    RowsFit: TypeAlias = "LogFit | DrawnRows | GeneratedRows | RapRows"

Say = Callable[[str], None]
WITHOUT_MODEL = (RAP, RAP_PP, GEM, MERF)
"""Methods whose distribution is available only through rows, not through tables."""


@dataclass(frozen=True, kw_only=True)
class LogFit:
    """The model from which rows of a log are drawn, and how near it is to the one that the log determines."""

    gap_est: float
    """Duality gap, in nats."""
    certificate: FitCertificate | None
    """The certified distance; None if computing it would take too long."""
    model_bytes: int
    """Size of the tables of a sweep."""


def rows_of(log: MarginalLog, k: int, *, seed: int | None = None, say: Say | None = None) -> tuple[Codes, RowsFit]:
    """k rows, and how near the distribution they are drawn from is to the log."""
    alone = all(len(table.columns) == 1 for table in log.tables) and not log.answers
    independent = bool(log.unfinished) and alone  # interrupted before anything else was measured
    if log.method in WITHOUT_MODEL and not independent:
        made = _generated(log, k, seed=seed, say=say)
        return made.codes, made
    from mechanisms.select.gen import is_tilted, tilted_rows

    if is_tilted(log) and not independent:
        drawn = tilted_rows(log, k, seed=seed, say=say)
        return drawn.codes, drawn
    from mechanisms.pgm.certificate import certify_fit
    from mechanisms.pgm.from_log import estimate_log, rows_of_log
    from mechanisms.pgm.need import need

    model = estimate_log(log, say=say)
    try:
        certificate = certify_fit(model)
    except NotCertified:  # the log is paid for, and its rows are as good without a certificate
        certificate = None
    fit = LogFit(
        gap_est=model.gap_est, certificate=certificate, model_bytes=need(model.sizes, model.law.layout.scopes).bytes
    )
    return rows_of_log(log, model, k, seed=seed), fit


def _generated(log: MarginalLog, k: int, *, seed: int | None, say: Say | None) -> GeneratedRows | RapRows:
    if log.method == GEM:
        from mechanisms.generators.gem import rows_of_gem

        return rows_of_gem(log, k, seed=seed, say=say)
    if log.method == MERF:
        from mechanisms.generators.merf import rows_of_merf

        return rows_of_merf(log, k, seed=seed, say=say)
    from mechanisms.rap.rows import rows_of_rap

    return rows_of_rap(log, k, seed=seed, say=say)


class RowsOfLog:
    """The rows of a log as a distribution with their tables, for code that needs tables when there is no model."""

    def __init__(self, log: MarginalLog, k: int, *, say: Say | None = None) -> None:
        self._sizes = log.shape.merged
        self._merged, _ = rows_of(log, k, say=say)
        if log.groups is not None:
            groups = [np.array(group, self._merged.dtype) for group in log.groups]
            self._merged = np.column_stack([group[self._merged[:, u]] for u, group in enumerate(groups)])

    def marginals(self, sets: Iterable[tuple[int, ...]]) -> dict[tuple[int, ...], Floats]:
        """Shares of the rows, by merged codes if the log merged any."""
        found = counts(self._merged, self._sizes, list(sets))
        return {columns: table / len(self._merged) for columns, table in found.items()}

    def rows(self, k: int, stream: np.random.Generator) -> Codes:
        """The rows in random order, repeated as often as necessary."""
        found: Codes = np.resize(stream.permutation(self._merged), (k, len(self._sizes)))
        return found
