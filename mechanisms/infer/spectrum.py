"""Principal components from a private release of moments: eigenvalues, directions and explained variance, certified.

They are those of the second moments, with the intercept among the features, or of the covariance matrix of the features
only. All statements are about the real table. The intervals are enclosed and exact in level: they cover with at least
that probability for every table, every size and every gap. If gaps are too small to decide, the answer says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from bounds.enclosure import Enclosure
from bounds.errors import NotApplicable, ParameterError
from bounds.exact import require_range
from bounds.inference import spectrum as statements
from bounds.inference.covariance_noise import CovarianceNoise
from bounds.inference.eigenvalues import Eigensystem, eigensystem, root_up
from bounds.inference.eigenvector_test import EigenvectorTest, eigenvector_test
from bounds.inference.spectrum_noise import MomentNoise, SpectrumNoise
from mechanisms.infer.findings import Interval
from mechanisms.infer.noisy_matrix import Entry, NoisyMatrix, noisy_matrix
from mechanisms.infer.spectrum_answer import SPECTRUM_OF, Component, Spectrum, SpectrumOf
from release.moments.file import MomentRelease

_DIGITS = 60
"""Bits kept of a mean in the covariance; the rest is counted as rounding."""


def spectrum_from_release(
    release: MomentRelease, *, rank: int, level: Fraction = Fraction(19, 20), of: SpectrumOf = "moments"
) -> Spectrum:
    """The first components of a table, as far as its release determines them."""
    release.require_plausible_size()
    return spectrum_of(noisy_matrix(release), rank=rank, level=level, of=of)


def spectrum_of(
    matrix: NoisyMatrix, *, rank: int, level: Fraction = Fraction(19, 20), of: SpectrumOf = "moments"
) -> Spectrum:
    """The same from the matrix of moments."""
    names, rows, noise = _question(matrix, of)
    require_rank(rank, columns=len(names), of=of)
    require_range("level", level, level, least=Fraction(1, 2), below=1)
    alpha, system = 1 - level, eigensystem(rows)
    found = statements.explained(system, noise, rank, alpha)
    say = _Saying(level)
    head, trace = system.sum_of_largest(rank), system.trace()
    share = min(max(_middle(head) / _middle(trace), 0.0), 1.0) if trace.lo > 0 else None
    span = None if found.squared_sines is None or found.squared_sines >= rank else root_up(found.squared_sines)
    return Spectrum(
        of=of,
        names=names,
        rank=rank,
        level=level,
        divisor=matrix.divisor,
        n_is_public=matrix.n_is_public,
        squared_norm=matrix.squared_norm,
        deviation=float(_scale(matrix)),
        eigenvalues=tuple(
            say.interval(f"eigenvalue {i}", _middle(value), *ends, simultaneous=True)
            for i, (value, ends) in enumerate(
                zip(system.values, statements.all_values(system, noise, alpha), strict=True), 1
            )
        ),
        largest=say.interval(
            "largest eigenvalue", _middle(system.values[0]), None, statements.largest_end(system, noise, alpha)
        ),
        components=tuple(_component(system, noise, place, alpha, say) for place in range(rank)),
        total=say.interval(f"sum of the {rank} largest eigenvalues", _middle(head), *found.total),
        explained=say.interval("variance along the noisy components", _middle(head), *found.explained),
        share=say.interval(f"share of the {rank} largest eigenvalues", share, *found.share),
        share_explained=say.interval("share along the noisy components", share, *found.share_explained),
        span_sine=say.interval(
            "sine between the spans",
            None,
            Fraction(0),
            span,
            note="" if span is not None else _not_told(found.gap, found.gap_needed),
        ),
        loss=say.interval("variance lost to the noise", None, Fraction(0), found.loss),
        classical=statements.classical(system, noise, rank, alpha),
        notes=tuple(_notes(matrix, of)),
    )


def require_rank(rank: int, *, columns: int, of: SpectrumOf) -> None:
    if columns < 2:
        raise NotApplicable(f"the {of} have one column: there are no components to tell apart")
    require_range("rank", rank, rank, least=1, most=columns - 1, reason="fewer than columns")


def try_eigenvector(
    matrix: NoisyMatrix, vector: Sequence[Fraction], *, level: Fraction = Fraction(19, 20), of: SpectrumOf = "moments"
) -> EigenvectorTest:
    """Whether the release does not exclude a vector: membership in the exact set, one vector at a time.

    For the covariance the vector is (u, -c): a direction and minus the mean score in it.
    """
    require_range("level", level, level, least=Fraction(1, 2), below=1)
    _require_of(of)
    p = matrix.label
    entries = [[_scaled(matrix, i, j) for j in range(p)] for i in range(p)]
    return eigenvector_test(
        [[entry.value for entry in row] for row in entries],
        [[entry.deviation**2 for entry in row] for row in entries],
        [[entry.rounding for entry in row] for row in entries],
        vector,
        alpha=1 - level,
        centred=of == "covariance",
    )


def _question(
    matrix: NoisyMatrix, of: SpectrumOf
) -> tuple[tuple[str, ...], tuple[tuple[Fraction, ...], ...], SpectrumNoise]:
    """The names of the columns, the noisy matrix between them, and its noise."""
    _require_of(of)
    p = matrix.label
    rows = [[_scaled(matrix, i, j).value for j in range(p)] for i in range(p)]
    scale, rounding = _scale(matrix), max(_scaled(matrix, i, j).rounding for i in range(p) for j in range(p))
    if of == "moments":
        moments = tuple(tuple(row) for row in rows)
        return matrix.names[:p], moments, MomentNoise(size=p, scale=scale, rounding=rounding)
    last = matrix.intercept
    mass, means = rows[last][last], tuple(rows[last][:last])
    if mass <= 0:
        raise NotApplicable("the noisy number of records is not positive: no covariance is known")
    found = tuple(tuple(_short(rows[i][j] - means[i] * means[j] / mass) for j in range(last)) for i in range(last))
    noise = CovarianceNoise(
        means=means,
        mass=mass,
        mass_is_public=_scaled(matrix, last, last).is_exact,
        most_mean=root_up(Fraction(matrix.squared_norm - 1)),
        scale=scale,
        rounding=rounding + Fraction(1, 2**_DIGITS),
    )
    return matrix.names[:last], found, noise


def _short(number: Fraction) -> Fraction:
    """A quotient with a short denominator; the part cut off is counted as rounding of the entry of S."""
    return Fraction(round(number * 2**_DIGITS), 2**_DIGITS)


def _scaled(matrix: NoisyMatrix, i: int, j: int) -> Entry:
    """An entry on the scale of the unit ball."""
    entry, unit = matrix.entry(i, j), matrix.squared_norm
    return Entry(value=entry.value / unit, deviation=entry.deviation / unit, rounding=entry.rounding / unit)


def _scale(matrix: NoisyMatrix) -> Fraction:
    """The deviation that bounds those on the diagonal; divided by the root of 2, it bounds those off it."""
    p = matrix.label
    return root_up(max(_scaled(matrix, i, j).deviation ** 2 * (1 if i == j else 2) for i in range(p) for j in range(p)))


def _component(system: Eigensystem, noise: SpectrumNoise, place: int, alpha: Fraction, say: _Saying) -> Component:
    found = statements.direction(system, noise, place, alpha)
    ends = (None, None) if found.value is None else found.value
    apart = "its gaps to its neighbours do not tell it from them: "
    return Component(
        place=place + 1,
        weights=system.vectors[place],
        eigenvalue=say.interval(
            f"eigenvalue {place + 1}, by itself",
            _middle(system.values[place]),
            *ends,
            note="" if found.value else apart + "see all eigenvalues at once",
        ),
        sine=say.interval(
            f"sine of component {place + 1}",
            None,
            Fraction(0),
            found.sine,
            note="" if found.sine is not None else apart + "the noise may have turned it into another one",
        ),
    )


@dataclass(frozen=True)
class _Saying:
    """The common settings of all intervals of an answer."""

    level: Fraction

    def interval(
        self,
        name: str,
        estimate: float | None,
        lo: Fraction | None,
        hi: Fraction | None,
        *,
        simultaneous: bool = False,
        note: str = "",
    ) -> Interval:
        return Interval(
            name=name,
            about="table",
            kind="exact",
            level=self.level,
            estimate=estimate,
            lo=lo,
            hi=hi,
            is_certified=True,
            simultaneous=simultaneous,
            note=note,
        )


def _middle(value: Enclosure) -> float:
    return float(value.midpoint)


def _not_told(gap: Fraction, needed: Fraction) -> str:
    return (
        f"the gap behind these components is {max(float(gap), 0.0):.3g} in the noisy matrix; a gap below about "
        f"{float(needed):.3g} does not tell them from the others"
    )


def _notes(matrix: NoisyMatrix, of: SpectrumOf) -> list[str]:
    found = [
        f"eigenvalues are those of features divided by the root of {matrix.squared_norm}, which lie in the unit ball",
        "every interval holds at its level on its own, those of all eigenvalues also together; K and the level must be "
        "fixed before the release is seen: a K chosen by its gap has another level",
    ]
    if of == "moments":
        found.append(
            "second moments are not centred and the intercept is one of the features: the first component mostly says "
            "where the records are, not how they vary; the covariance says how they vary"
        )
    else:
        found.append("columns are on the scale of their features, -1 to 1, not divided by their standard deviations")
    if not matrix.n_is_public:
        found.append(
            f"the number of records is private: eigenvalues are those of sums divided by {matrix.divisor:,}; "
            "directions and shares do not depend on it"
        )
    return found


def _require_of(of: SpectrumOf) -> None:
    if of not in SPECTRUM_OF:
        raise ParameterError("of", of, f"one of {', '.join(SPECTRUM_OF)}")
