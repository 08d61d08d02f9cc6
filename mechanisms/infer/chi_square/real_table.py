"""Would the test on the real table reject? Pearson's statistic over all tables that the noise allows.

The statistic is the squared length of the interaction over the roots of the counts that the margins predict. Noise
moves both, and keeps that vector in an ellipsoid: the least and the largest length are two trust region problems,
solved along its axes. This is about the table itself; a test that rejects only if the least value does is the
worst-case route, valid but weak. Proof: docs/proofs/synthbounds.noisy-chi-square.md (g).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotApplicable
from bounds.exact import Exact
from mechanisms.infer.chi_square.algebra import contrasts
from mechanisms.infer.chi_square.answers import RealTableVerdict, Verdict
from mechanisms.infer.chi_square.chi2_law import critical_value
from mechanisms.infer.chi_square.common import read_level, require_degrees
from mechanisms.infer.chi_square.effect import measure_of_pair
from mechanisms.infer.chi_square.showing import shown_pair
from mechanisms.infer.chi_square.shown import ShownPair
from mechanisms.infer.chi_square.statistic import margins_of, residual_of
from mechanisms.infer.chi_square.tables import tables_of
from mechanisms.infer.findings import Interval
from release.private_release import Release

if TYPE_CHECKING:
    from mechanisms.infer.chi_square.cell_noise import Floats

NOT_NORMAL = (
    "what the test on the real table would say is known only if the noise is nearly normal: Gaussian, with a deviation "
    "of at least two steps of its lattice"
)
_GROWS = "no upper end: it grows with the number of records, which is private"
_HARD, _NEAR = 1e-12, 1e-9
"""The hard case: if the farthest point is this near to the widest axis, its coordinate along it is next to 0."""


def would_real_table_reject(release: Release, columns: Sequence[str], *, level: Exact = "0.95") -> RealTableVerdict:
    """At significance 1 - level, for all noise in its ellipsoid of probability `level`."""
    confidence = read_level(level)
    tables = tables_of(release)
    shown, counts = shown_pair(tables, columns)
    if not shown.noise_is_nearly_normal:
        raise NotApplicable(f"chi2: {NOT_NORMAL}")
    require_degrees(shown.degrees)
    critical = critical_value(float(1 - confidence), shown.degrees)
    centre, widths = _in_directions(shown, counts)
    least, most = ellipsoid_range(centre, widths, critical_value(float(1 - confidence), shown.degrees))
    middle = min(most, max(least, float((centre**2 - widths).sum())))
    measure = measure_of_pair(shown)
    verdict: Verdict = "cannot be told"
    if least > critical:
        verdict = "yes"
    elif most <= critical and shown.size_is_public:
        # under add-remove the statistic grows with the number of records, which is at least the public one
        verdict = "no"
    return RealTableVerdict(
        shape=shown.shape,
        is_simulated=tables.is_simulated,
        verdict=verdict,
        level=confidence,
        degrees=shown.degrees,
        critical=critical,
        effect=_interval(
            "Cramér's V of the table", confidence, measure.of(middle), measure.of(least), measure.of(most)
        ),
        statistic=(
            _interval("Pearson's statistic", confidence, middle, least, most)
            if shown.size_is_public
            else _interval("Pearson's statistic", confidence, None, least, None, note=_GROWS)
        ),
    )


def _interval(
    name: str, level: Fraction, estimate: float | None, lo: float, hi: float | None, note: str = ""
) -> Interval:
    return Interval(
        name=name,
        about="table",
        kind="asymptotic",
        level=level,
        estimate=estimate,
        lo=Fraction(lo),
        hi=None if hi is None else Fraction(hi),
        is_certified=False,
        note=note,
    )


def pearson_range(shown: ShownPair, counts: Floats, *, outside: float) -> tuple[float, float]:
    """Least and largest statistic of a table whose noise is in its ellipsoid, left with probability `outside`."""
    centre, widths = _in_directions(shown, counts)
    return ellipsoid_range(centre, widths, critical_value(outside, shown.degrees))


def least_pearson(shown: ShownPair, counts: Floats, radius: float) -> float:
    """The least statistic in an ellipsoid of this squared radius."""
    return least_in_ellipsoid(*_in_directions(shown, counts), radius)


def _in_directions(shown: ShownPair, counts: Floats) -> tuple[Floats, Floats]:
    """The vector whose squared length is Pearson's statistic, and the noise's variance along each axis."""
    # every value that occurs in a real table has a record
    (r, c), n = shown.levels, shown.size
    a, b = (_with_a_record(shares, n) for shares in margins_of(counts))
    across, along = contrasts(r), contrasts(c)
    # contrasts over the root of a margin, as an orthonormal basis with the map into it
    (rows, to_rows), (columns, to_columns) = (
        np.linalg.qr(across / np.sqrt(a)[:, None]),
        np.linalg.qr(along / np.sqrt(b)[:, None]),
    )
    interaction = residual_of(counts, a, b, n).reshape(r - 1, c - 1)
    scaled = across @ interaction @ along.T / np.sqrt(n * np.outer(a, b))
    centre = (to_rows @ interaction @ to_columns.T).ravel() / np.sqrt(n)
    # noise of the cells; of the row margins, which are subtracted and divided by; and of the column margins
    noise = shown.cell.variance / n * np.kron(to_rows @ to_rows.T, to_columns @ to_columns.T)
    by_rows = np.einsum("ik,j->ijk", to_rows, to_columns @ (along.T @ b)) / np.sqrt(n)
    by_rows += np.einsum("pi,pk,pj->ijk", rows, across / a[:, None], scaled @ columns) / (2 * n)
    by_columns = np.einsum("i,jk->ijk", to_rows @ (across.T @ a), to_columns) / np.sqrt(n)
    by_columns += np.einsum("ip,pk,pj->ijk", rows.T @ scaled, along / b[:, None], columns) / (2 * n)
    for moved, margin in ((by_rows, shown.rows), (by_columns, shown.columns)):
        flat = moved.reshape(len(centre), -1)
        noise += margin.variance * flat @ flat.T
    widths, directions = np.linalg.eigh(noise)
    return directions.T @ centre, widths


def ellipsoid_range(centre: Floats, widths: Floats, radius: float) -> tuple[float, float]:
    """Least and largest |u|^2 over all u with sum (u_i - centre_i)^2 / widths_i <= radius, with widths above 0."""
    return least_in_ellipsoid(centre, widths, radius), most_in_ellipsoid(centre, widths, radius)


def least_in_ellipsoid(centre: Floats, widths: Floats, radius: float) -> float:
    """The nearest point to the origin is u = x centre / (x + widths) for one x, or the origin itself."""
    from scipy.optimize import brentq

    squares = centre**2

    def excess(x: float) -> float:
        return float((squares * widths / (x + widths) ** 2).sum()) - radius

    if excess(0.0) <= 0:
        return 0.0
    # at this x nothing is left over, even without the widths in the denominator
    most = float(np.sqrt((squares * widths).sum() / radius)) * (1 + 1e-9)
    x = brentq(excess, 0.0, most, xtol=1e-300, rtol=1e-13)
    return float((squares * (x / (x + widths)) ** 2).sum())


def most_in_ellipsoid(centre: Floats, widths: Floats, radius: float) -> float:
    """The farthest point is u = x centre / (x - widths) with x above all widths; in the hard case x is the widest."""
    from scipy.optimize import brentq

    squares, widest = centre**2, float(widths.max())

    def excess(x: float) -> float:
        return float((squares * widths / (x - widths) ** 2).sum()) - radius

    rest = widths < widest * (1 - _NEAR)
    along = float(squares[~rest].sum())
    low = widest * (1 + _HARD) + np.sqrt(along * widest / radius) * (1 - 1e-9)
    if excess(low) <= 0:
        others, held = squares[rest], widths[rest] / (widest - widths[rest])
        room = radius - float((others * held**2 / widths[rest]).sum())
        return float((others * (1 + held) ** 2).sum()) + widest * max(0.0, room)
    high = widest * (1 + 2 * _HARD) + np.sqrt(float((squares * widths).sum()) / radius) * (1 + 1e-9)
    x = brentq(excess, low, high, xtol=1e-300, rtol=1e-13)
    return float((squares * (x / (x - widths)) ** 2).sum())


def _with_a_record(shares: Floats, size: int) -> Floats:
    raised = np.maximum(shares, 1 / size)
    found: Floats = raised / raised.sum()
    return found
