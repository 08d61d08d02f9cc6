"""Which columns are related given all others: partial correlations of a table, from its private moments.

Every column is regressed on all the others and the intercept; two coefficients make one partial correlation. In a
finite table none is exactly zero, so an edge is a correlation whose sign is certain, and one that is certainly small is
not worth drawing. Certified intervals come from the joint sets of all regressions; sharper ones, whose ends are found
by search, from the sets of single coefficients. Each kind holds for all pairs at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from bounds.certify.radii import normal_interval
from bounds.errors import NotApplicable, UsageError
from bounds.exact import require_range
from bounds.inference.linear_pivot import LinearPivot, joint_radius
from bounds.inference.linear_region import Unbounded, surround
from bounds.inference.partial_correlation import Ends, PartialCorrelation, partial_correlation
from mechanisms.infer.findings import Interval, Kind
from mechanisms.infer.noisy_matrix import NoisyMatrix, noisy_matrix
from mechanisms.infer.regression.edges_answer import Edge, EdgesAnswer, UntoldNode
from mechanisms.infer.regression.equation import equations
from release.moments.file import MomentRelease
from release.statistics.blocks import ONE_HOT
from release.statistics.features import INTERCEPT, FeatureMap

__all__ = ["EdgesAnswer", "edges_from_release", "edges_of"]

MOST_NODES = 60
MOST_SEARCHED = 20
"""Above this many nodes single coefficients are not searched."""
LEAST = Fraction(1, 10)
_OF_JOINT = Fraction(1, 4)
"""The part of the failure probability for the joint sets in which single coefficients are searched."""
_NAMED = 3
_WORDS = {0: "", 1: "certainly positive", -1: "certainly negative"}
_NO_SQUARE = "a numeric label, or any label of a table of private size, has no square in the release"


def edges_from_release(
    release: MomentRelease,
    *,
    least: Fraction = LEAST,
    level: Fraction = Fraction(19, 20),
    columns: Sequence[str] | None = None,
) -> EdgesAnswer:
    """The graph of the columns of a release, with its label if the square of that is public, or of the named columns.

    Named columns must not have been chosen by looking at the release. Correlations are then not given the others.
    """
    release.require_plausible_size()
    matrix = noisy_matrix(release)
    found = edges_of(matrix, nodes=_nodes(matrix, release.feature_map, columns), least=least, level=level)
    notes = (*found.notes, *_more_notes(matrix, release.feature_map, columns))
    return replace(found, columns_are_named=columns is not None, notes=notes)


def edges_of(
    matrix: NoisyMatrix, *, nodes: Sequence[int], least: Fraction = LEAST, level: Fraction = Fraction(19, 20)
) -> EdgesAnswer:
    """The graph for these places of the matrix of moments."""
    require_range("level", level, level, least=Fraction(1, 2), below=1)
    require_range("least", least, least, above=0, below=1, reason="a correlation")
    if len(nodes) < 2:
        raise NotApplicable("edges need at least two columns")
    if len(nodes) > MOST_NODES:
        raise NotApplicable(f"columns = {len(nodes)}: edges are found between at most {MOST_NODES}; name fewer")
    names = tuple(matrix.names[i] for i in nodes)
    regressions = [_regression(matrix, nodes, i) for i in nodes]
    joint, untold = _joint_ends(regressions, 1 - level)
    single = _single_ends(regressions, 1 - level) if len(nodes) <= MOST_SEARCHED else None
    middles = _estimates(matrix, nodes)
    edges = [
        _edge((a, b), joint, single, estimate=middles[i][j], least=least, level=level)
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if i < j
    ]
    return EdgesAnswer(
        nodes=names,
        edges=tuple(sorted(edges, key=_order)),
        least=least,
        level=level,
        untold=untold,
        n_is_public=matrix.n_is_public,
        columns_are_named=False,
        notes=_notes(untold, len(nodes)),
    )


@dataclass(frozen=True)
class _Regression:
    node: str
    pivot: LinearPivot
    regressors: tuple[str, ...]
    """The intercept last."""


@dataclass(frozen=True)
class _Ends:
    """Ends of the coefficient of the second column in the regression of the first; a missing pair has none."""

    of: dict[tuple[str, str], Ends]
    unbounded: frozenset[str]
    """Columns whose joint set is not shown to be bounded."""

    def correlation(self, a: str, b: str) -> PartialCorrelation:
        return partial_correlation(self.of.get((a, b), (None, None)), self.of.get((b, a), (None, None)))


def _regression(matrix: NoisyMatrix, nodes: Sequence[int], response: int) -> _Regression:
    places = [*(j for j in nodes if j != response), matrix.intercept]
    return _Regression(
        node=matrix.names[response],
        pivot=equations(matrix, response=response, regressors=places),
        regressors=tuple(matrix.names[j] for j in places),
    )


def _joint_ends(regressions: list[_Regression], alpha: Fraction) -> tuple[_Ends, tuple[UntoldNode, ...]]:
    """The regressions share the failure probability; each gives all its coefficients at once."""
    found: dict[tuple[str, str], Ends] = {}
    untold = []
    for one in regressions:
        region = surround(one.pivot, joint_radius(one.pivot, alpha / len(regressions)))
        if isinstance(region, Unbounded):
            weights = sorted(zip(one.regressors, region.direction, strict=True), key=lambda pair: -abs(pair[1]))
            untold.append(UntoldNode(name=one.node, weakest=tuple(weights[:_NAMED]), is_proved=region.is_proved))
        else:
            for other, lo, hi in zip(one.regressors, region.lo, region.hi, strict=True):
                found[one.node, other] = (lo, hi)
    return _Ends(found, frozenset(node.name for node in untold)), tuple(untold)


def _single_ends(regressions: list[_Regression], alpha: Fraction) -> _Ends:
    """By search: joint sets get a part of the failure probability, and each statistic its share of the rest."""
    import numpy as np

    from mechanisms.infer.regression.coefficient_search import search_coefficients
    from mechanisms.infer.regression.float_pivot import FloatPivot

    many = len(regressions)
    z = normal_interval(alpha * (1 - _OF_JOINT) / (many * (many - 1)))
    found: dict[tuple[str, str], Ends] = {}
    unbounded = []
    for one in regressions:
        radius = joint_radius(one.pivot, alpha * _OF_JOINT / many)
        if isinstance(surround(one.pivot, radius), Unbounded):
            unbounded.append(one.node)
        try:
            ends = search_coefficients(
                FloatPivot.of(one.pivot),
                places=np.arange(many - 1),
                radius=float(radius),
                z=float(z + one.pivot.rounding),
            )
        except np.linalg.LinAlgError:
            continue  # floats find no solution to search from
        for other, lo, hi in zip(one.regressors[:-1], ends.lo.tolist(), ends.hi.tolist(), strict=True):
            found[one.node, other] = (Fraction(lo), Fraction(hi))
    return _Ends(found, frozenset(unbounded))


def _estimates(matrix: NoisyMatrix, nodes: Sequence[int]) -> list[list[float | None]]:
    """Estimates from the inverse of the noisy matrix; None if it gives no correlation."""
    import numpy as np

    places = [*nodes, matrix.intercept]
    noisy = np.array([[float(matrix.entry(i, j).value) for j in places] for i in places])
    try:
        inverse = np.linalg.inv(noisy)
    except np.linalg.LinAlgError:
        inverse = np.zeros_like(noisy)
    squares = np.outer(inverse.diagonal(), inverse.diagonal())
    return [
        [float(-x / s**0.5) if s > 0 and x * x <= s else None for x, s in zip(row, line, strict=True)]
        for row, line in zip(inverse.tolist(), squares.tolist(), strict=True)
    ]


def _edge(
    pair: tuple[str, str],
    joint: _Ends,
    single: _Ends | None,
    *,
    estimate: float | None,
    least: Fraction,
    level: Fraction,
) -> Edge:
    told = joint.correlation(*pair)
    sharp = None if single is None else single.correlation(*pair)
    is_exact = single is not None and single.unbounded.isdisjoint(pair)
    if all(found is None or (found.lo <= -1 and found.hi >= 1) for found in (told, sharp)):
        estimate = None  # nothing is excluded: the number would say something only about the noise

    def interval(found: PartialCorrelation, kind: Kind, *, is_certified: bool) -> Interval:
        return Interval(
            name=f"partial correlation of {pair[0]} and {pair[1]}",
            about="table",
            kind=kind,
            level=level,
            estimate=estimate,
            lo=found.lo,
            hi=found.hi,
            is_certified=is_certified,
            simultaneous=True,
            note=_WORDS[found.sign],
        )

    return Edge(
        first=pair[0],
        second=pair[1],
        correlation=interval(told, "exact", is_certified=True),
        sign=told.sign,
        sharper=None if sharp is None else interval(sharp, "exact" if is_exact else "simulated", is_certified=False),
        sharper_sign=0 if sharp is None else sharp.sign,
        is_small=told.hi <= least and told.lo >= -least,
    )


def _order(edge: Edge) -> tuple[int, int, float]:
    return -abs(edge.sign), -abs(edge.sharper_sign), -abs(edge.correlation.estimate or 0)


def _nodes(matrix: NoisyMatrix, features: FeatureMap, columns: Sequence[str] | None) -> list[int]:
    """The places of the nodes of the graph."""
    has_label = matrix.rows[matrix.label][matrix.label] is not None
    if columns is not None:
        if len(set(columns)) != len(columns):
            raise UsageError("columns: one is named twice")
        places = [matrix.place(name) for name in columns]
        if matrix.intercept in places:
            raise UsageError("columns: the intercept is always given, and is not a node")
        if matrix.label in places and not has_label:
            raise UsageError(f"columns: {features.label} is not a node: {_NO_SQUARE}")
        return places
    left_out = {matrix.place(name) for name in _left_out(features)}
    nodes = [i for i in range(matrix.intercept) if i not in left_out]
    return [*nodes, matrix.label] if has_label else nodes


def _left_out(features: FeatureMap) -> tuple[str, ...]:
    """The first indicator of each column that has one for every value, since these add up to the intercept."""
    found, start = [], 0
    for block, encoding in zip(features.blocks, features.encodings, strict=True):
        if encoding == ONE_HOT:
            found.append(features.names[start])
        start += len(block[0])
    return tuple(found)


def _notes(untold: tuple[UntoldNode, ...], many: int) -> tuple[str, ...]:
    if not untold:
        return ()
    weights: dict[str, float] = {}
    for node in untold:
        for name, weight in node.weakest:
            if name == INTERCEPT:
                continue
            weights[name] = weights.get(name, 0.0) + weight**2
    named = ", ".join(sorted(weights, key=lambda name: -weights[name])[:_NAMED])
    return (
        f"{len(untold)} of {many} regressions cannot be told from the noise: the smallest eigenvalue of their moments "
        f"is below it, mostly because of {named}; fewer columns, named beforehand, would say more",
    )


def _more_notes(matrix: NoisyMatrix, features: FeatureMap, columns: Sequence[str] | None) -> tuple[str, ...]:
    found = []
    if columns is not None:
        found.append("correlations are partial given only the named columns, which must be chosen before looking")
    elif _left_out(features):
        found.append(
            f"without {', '.join(_left_out(features))}: indicators of all values of a column add up to the intercept"
        )
    if matrix.rows[matrix.label][matrix.label] is None:
        found.append(f"{features.label} is not a node, and not given: {_NO_SQUARE}")
    return tuple(found)
