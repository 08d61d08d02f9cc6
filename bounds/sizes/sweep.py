"""Sweeps: one edition over many parameter points at once, in floating point. Estimates, never certificates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bounds.errors import NotApplicable, NotCertified, ParameterError, UsageError
from bounds.exact import parse_integer, require_range
from bounds.model import COUNTS, Route, Theorem
from bounds.pieces.noise import MECHANISMS
from bounds.privacy.adjacency import Adjacency
from bounds.quantities import SYMBOLS, Choices, Quantities
from bounds.queries import QueryFamily, bounded, family_of_degree
from bounds.shown import Shown
from bounds.sizes.setting import rows_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

_MOST_SEARCH = 1100


@dataclass(frozen=True)
class SweepResult(Shown):
    """Arrays of estimated sizes; rounded up as floats, so a value near an integer may be off by one."""

    n_est: Values
    m_est: Values
    k_est: Values


def sweep(
    theorem: Theorem,
    edition_name: str,
    *,
    route: str | None = None,
    family: str = "monomials",
    p: int | None = None,
    t: int = 2,
    degree: int | None = None,
    queries: int | None = None,
    adjacency: str = "replace-one",
    **arrays: Any,
) -> SweepResult:
    """Evaluate one edition on broadcast arrays of epsilon, delta, gamma and the like.

    Family, p, t and degree are fixed in one call. If an edition has several routes, the one with the fewest records is
    taken point by point, unless `route` names one.
    """
    import numpy as np

    from bounds.arithmetic.vector import VECTOR

    edition = theorem.edition(edition_name)
    if edition is None:
        raise NotApplicable(f"{theorem.id} has no {edition_name} edition")
    if edition_name == "printed" and adjacency != "replace-one":
        raise NotApplicable(f"adjacency = {adjacency}: {theorem.id} (printed) is stated for replace-one only")
    if theorem.direction != "sufficient":
        raise UsageError(f"{theorem.id} has no sizes that suffice to sweep")
    relation = Adjacency(adjacency) if adjacency in {a.value for a in Adjacency} else None
    if relation is None:
        raise ParameterError("adjacency", adjacency, "one of " + ", ".join(a.value for a in Adjacency))
    base = _family_values(family, p, t, degree, queries, relation, theorem, swept_dp_delta="dp_delta" in arrays)
    for name, values in arrays.items():
        base[name] = _array(name, values)
    try:
        np.broadcast_shapes(*(np.shape(values) for values in base.values()))
    except ValueError:
        raise UsageError("the arrays of a sweep must be broadcastable to one shape") from None
    for name in theorem.inputs:
        if name not in base:
            raise UsageError(f"a sweep of {theorem.id} needs {name}: {SYMBOLS[name].meaning}")
    routes = [r for r in edition.routes if route in (None, r.name)]
    if not routes:
        raise UsageError(f"route {route!r} is not one of {', '.join(r.name for r in edition.routes)}")
    best: dict[str, Any] | None = None
    for candidate in routes:
        if not all(name in base for name in candidate.inputs) or (candidate.one_way and "one_R" not in base):
            continue
        sizes = _run(candidate, base, relation, VECTOR)
        if best is None:
            best = sizes
            continue
        better = (sizes["n"] < best["n"]) | ((sizes["n"] == best["n"]) & (sizes["m"] < best["m"]))
        best = {name: np.where(better, sizes[name], best[name]) for name in COUNTS}
    if best is None:
        raise UsageError(f"{theorem.id} needs {', '.join(routes[0].inputs)}")
    n, m, k = np.broadcast_arrays(*(best[name] for name in COUNTS))
    return SweepResult(n, m, k)


_SWEPT = {"epsilon", "delta", "gamma", "dp_delta", "tau1", "tau2", "tau", "L", "nu_max", "K"}
_MOST = {"delta": 0.5, "gamma": 0.25, "tau": 1.0, "dp_delta": 1.0}


def _array(name: str, values: Any) -> Any:
    """A floating-point array within the parameter's range."""
    import numpy as np

    if name not in _SWEPT:
        raise UsageError(f"{name[:40]} cannot be swept; these can: {', '.join(sorted(_SWEPT))}")
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(name, type(values).__name__, "numbers") from None
    least = 0.0 if name == "L" else np.nextafter(0.0, 1.0)
    if not np.all(np.isfinite(array)) or np.any(array < least) or np.any(array > _MOST.get(name, np.inf)):
        most = f" and at most {_MOST[name]}" if name in _MOST else ""
        raise ParameterError(name, "an array", f"finite, greater than 0{most}")
    return array


def _family_values(
    family: str,
    p: int | None,
    t: int,
    degree: int | None,
    queries: int | None,
    relation: Adjacency,
    theorem: Theorem,
    *,
    swept_dp_delta: bool,
) -> dict[str, Any]:
    import numpy as np

    t = parse_integer(t, "t")
    require_range("t", t, t, least=2, most=1000)
    if p is not None:
        p = parse_integer(p, "p")
        require_range("p", p, p, least=1, most=500, reason="attributes of a sweep in floating point")
    if queries is not None:
        facts = bounded(parse_integer(queries, "queries"))
    elif p is not None and degree is not None:
        facts = family_of_degree(family, p, t, parse_integer(degree, "degree"))
    else:
        raise UsageError("a sweep needs p and degree, or queries")
    values: dict[str, float] = _facts_values(facts, swept_dp_delta) | {
        "s": 2.0 if relation is Adjacency.REPLACE_ONE else 1.0,
        "steps": float(facts.one_way_steps),
    }
    if facts.one_way is not None and degree is not None:
        values |= {f"one_{name}": value for name, value in _facts_values(facts.one_way, swept_dp_delta).items()}
        values |= {"degree": float(degree), "t": float(t)}
    if p is not None:
        values["p"] = float(p)
        if theorem.measure != "kde":
            values["N"] = float(t**p)
    return {name: np.float64(value) for name, value in values.items()}


def _facts_values(facts: QueryFamily, swept_dp_delta: bool) -> dict[str, float]:
    known = {
        "F": facts.total,
        "F_varying": facts.varying,
        "R": facts.range_width,
        "Delta_1": facts.l1_sensitivity,
        "Delta_2_squared": facts.l2_sensitivity_squared,
        "rank": facts.dimension,
        "stretch": facts.stretch,
        "plain": facts.plain,
        "centred": facts.centred,
        "packing": facts.packing,
        "contrast_gain": facts.contrast_gain,
        "contrast_scatter": facts.contrast_scatter if swept_dp_delta else None,
    }
    return {name: float(fact) for name, fact in known.items() if fact is not None}


def _run(route: Route, base: Mapping[str, Any], relation: Adjacency, arithmetic: Any) -> dict[str, Any]:
    import numpy as np

    mechanisms = tuple(m for m in route.mechanisms if all(name in base for name in MECHANISMS[m].inputs))
    if "contrast-gaussian" in mechanisms and base["contrast_scatter"] <= base["Delta_2_squared"]:
        mechanisms = tuple(m for m in mechanisms if m != "gaussian")  # never better, and its factor is slow to compute
    rows = rows_of(route, base.get("N"), base["F_varying"], base.get("degree"))
    choices = Choices(mechanisms, rows, exchanges_records=relation is Adjacency.REPLACE_ONE)
    values, sizes = dict(base), {}
    start = Quantities(arithmetic, values, route.derived, choices)
    possible = [getattr(start, name) > 0 for name in route.positive]
    for quantity in COUNTS:
        terms = [t for t in route.terms if t.quantity == quantity]
        size: Any = np.float64(bool(terms))
        for term in terms:
            if term.kind == "condition":
                needed = _search(term, route, values, choices, arithmetic)
            else:
                needed = np.ceil(term.formula(Quantities(arithmetic, values, route.derived, choices), arithmetic))
            size = np.maximum(size, needed)
        sizes[quantity] = values[quantity] = size
    for holds in possible:
        sizes["n"] = np.where(holds, sizes["n"], np.inf)
    return sizes


def _search(term: Any, route: Route, values: Mapping[str, Any], choices: Choices, arithmetic: Any) -> Any:
    """Smallest integers at which a margin is non-negative, all points bisected together."""
    import numpy as np

    def holds(size: Any) -> Any:
        q = Quantities(arithmetic, {**values, term.quantity: size}, route.derived, choices)
        return term.formula(q, arithmetic) >= 0

    start = np.asarray(term.start(Quantities(arithmetic, values, route.derived, choices), arithmetic))
    high = np.maximum(1, np.ceil(start))
    low = np.zeros_like(high)
    for _ in range(_MOST_SEARCH):
        enough = holds(high)
        if np.all(enough):
            break
        low, high = np.where(enough, low, high), np.where(enough, high, np.ceil(high * 1.1) + 1)
    else:
        raise NotCertified("the sweep found no size that satisfies a condition in floating point")
    near = np.maximum(0, np.floor(start * 0.9 - 3))
    low = np.maximum(low, np.where(holds(np.maximum(near, 1)), 0, near))
    while np.any(high - low > 1):
        middle = np.floor((low + high) / 2)
        middle = np.where(high - low > 1, middle, high)
        enough = holds(middle)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high
