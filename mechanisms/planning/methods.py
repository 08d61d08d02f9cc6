"""One function per method: the errors of its release, from public facts, certified for the noise it would draw.

Errors are those of the released numbers: one-way tables for `independent`, one-way tables and cross moments for
`moments`, tables of all pairs for `marginals`, the first tables for methods with a log. The linear programme's promise
is about the synthetic table itself.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial

from bounds.errors import NotApplicable, ParameterError
from bounds.privacy.adjacency import Adjacency
from bounds.queries import family_of_levels
from mechanisms.planning.forecast import Budget, ErrorBound, Forecast, Planned
from mechanisms.planning.parameters import (
    CROSS_MOMENTS,
    INDEPENDENT,
    LOGGED,
    LP,
    MARGINALS,
    MOMENTS,
    ONE_WAY,
    TWO_WAY,
)
from release.data.schema import Schema
from release.marginals.make import choose_tables, plan_marginals, stated_error
from release.noise.kinds import NoisePlan
from release.noise.quantiles import largest_sum
from release.noise.randomness import read_randomness

Tables = tuple[tuple[int, ...], ...]
_TRIVIAL_MOMENT = Fraction(1)
"""Products of features lie between -1 and 1, so 0 is within this distance of their mean."""


def forecast(method: str, planned: Planned, budget: Budget) -> Forecast:
    """The promise of the method; if it cannot be used at all, no error but the reason."""
    try:
        return _METHODS[method](planned, budget)
    except (NotApplicable, ParameterError) as refusal:
        return Forecast(method=method, budget=budget, errors={}, reason=str(refusal))


def cell_bound(schema: Schema, value: Fraction, order: int) -> ErrorBound:
    """An error of shares in tables of this many columns, and that of the uniform table for comparison."""
    facts = family_of_levels("cells", schema.domain.sizes, order)
    return ErrorBound(value=value, trivial=facts.trivial_accuracy)


def _independent(planned: Planned, budget: Budget) -> Forecast:
    schema = planned.public.schema
    noise = _noise(planned, _one_way_tables(schema), budget)
    radius, _ = stated_error(noise)
    return Forecast(
        method=INDEPENDENT,
        budget=budget,
        errors={ONE_WAY: cell_bound(schema, radius, 1)},
        noise=noise.mechanism,
        reason="columns are made independently: nothing is promised about two together",
    )


def _marginals(planned: Planned, budget: Budget) -> Forecast:
    schema = planned.public.schema
    tables = _pair_tables(schema)
    noise = _noise(planned, tables, budget)
    radius, _ = stated_error(noise)
    return Forecast(
        method=MARGINALS,
        budget=budget,
        errors={
            ONE_WAY: cell_bound(schema, _summed_radius(schema, noise), 1),
            TWO_WAY: cell_bound(schema, radius, 2),
        },
        noise=noise.mechanism,
        reason="tables of pairs have no moments of their own",
    )


def _summed_radius(schema: Schema, noise: NoisePlan) -> Fraction:
    """The error of every one-way share, summed from the column's pair with the column of fewest levels.

    Sums of independent noise concentrate, and all shares divide beta. If no distribution is stated, errors add up.
    """
    sizes = schema.domain.sizes
    radius, law = stated_error(noise)
    # All columns are summed over the one with the fewest levels, and that one over the one with the second fewest.
    terms = sorted(sizes)[1]
    together = terms * radius
    if law is None:
        return together
    concentrated = largest_sum(law.sd, terms=terms, count=sum(sizes), failure=noise.beta)
    return min(together, concentrated + terms * law.rounding)


def _cross_moments(planned: Planned, budget: Budget) -> Forecast:
    if budget.dp_delta is None:
        raise NotApplicable("its noise is Gaussian, which needs a dp-delta")
    from mechanisms.synth.moments_plan import plan_moments

    plan = plan_moments(
        planned.public, epsilon=budget.epsilon, dp_delta=budget.dp_delta, label=planned.label, mode="release"
    )
    # Half of beta each, as the finished table has it, where both hold at once.
    beta = planned.beta / 2 if plan.has_cross_moments else planned.beta
    shares, moments = _over_records(planned, plan.one_way_quantile(beta, size=1), plan.cross_quantile(beta, size=1))
    errors = {ONE_WAY: cell_bound(planned.public.schema, shares, 1)}
    if plan.has_cross_moments:
        errors[MOMENTS] = ErrorBound(value=moments, trivial=_TRIVIAL_MOMENT)
    return Forecast(
        method=CROSS_MOMENTS,
        budget=budget,
        errors=errors,
        noise="gaussian",
        reason="of two columns it measures moments, not cells",
    )


def _over_records(planned: Planned, counts: Fraction, sums: Fraction) -> tuple[Fraction, Fraction]:
    """Errors of shares and means from those of counts and sums, all holding at once.

    Where n is private, it is taken to be the sum S of the table with the fewest levels, off by at most the error of a
    count times these. With y within r of c and c at most n, y/S is off c/n by at most (r + |S - n|)/S, and S is at
    least n - |S - n|. Sums of products are at most n in size, too, so the same holds of them.
    """
    public = planned.public
    if public.adjacency is Adjacency.REPLACE_ONE:
        return counts / public.size, sums / public.size
    off = min(public.schema.domain.sizes) * counts
    if off >= public.size:
        raise NotApplicable(f"least-size = {public.size}: the number of records, which is private, drowns in the noise")
    return (counts + off) / (public.size - off), (sums + off) / (public.size - off)


def _lp(planned: Planned, budget: Budget) -> Forecast:
    from mechanisms.density_lp import DensityLP

    schema = planned.public.schema
    plan = DensityLP(
        epsilon=budget.epsilon,
        dp_delta=budget.dp_delta,
        failure=planned.beta,
        family="cells",
        randomness=read_randomness("release"),
    ).plan(planned.public)
    accuracy = plan.promise.accuracy
    if accuracy is None:
        raise NotApplicable(plan.promise.broken)
    errors = {ONE_WAY: cell_bound(schema, accuracy, 1)}
    if len(schema.columns) > 1:
        errors[TWO_WAY] = cell_bound(schema, accuracy, 2)
    return Forecast(
        method=LP, budget=budget, errors=errors, noise=plan.noise.mechanism, reason="cells are asked for, not moments"
    )


def _logged(method: str, planned: Planned, budget: Budget) -> Forecast:
    from mechanisms.planning.log_methods import NOT_PROMISED, LogForecast

    found, schema = LogForecast(method, planned, budget), planned.public.schema
    pairs = found.two_way
    shares, cells = _over_records(planned, found.one_way, pairs or Fraction(0))
    errors = {ONE_WAY: cell_bound(schema, shares, 1)}
    if pairs is not None:
        errors[TWO_WAY] = cell_bound(schema, cells, 2)
    return Forecast(
        method=method, budget=budget, errors=errors, noise="gaussian", reason=NOT_PROMISED[method], work=found.work
    )


_METHODS: dict[str, Callable[[Planned, Budget], Forecast]] = {
    INDEPENDENT: _independent,
    CROSS_MOMENTS: _cross_moments,
    MARGINALS: _marginals,
    LP: _lp,
    **{method: partial(_logged, method) for method in LOGGED},
}


def _noise(planned: Planned, tables: Tables, budget: Budget) -> NoisePlan:
    public = planned.public
    return plan_marginals(
        public.schema,
        tables,
        epsilon=budget.epsilon,
        dp_delta=budget.dp_delta,
        adjacency=public.adjacency,
        size=public.size,
        beta=planned.beta,
        mode="release",
        mechanism=None,
    )


@lru_cache(maxsize=4)
def _one_way_tables(schema: Schema) -> Tables:
    return choose_tables(schema, pairs=(), one_way=schema.names)


@lru_cache(maxsize=4)
def _pair_tables(schema: Schema) -> Tables:
    if len(schema.columns) < 2:
        raise NotApplicable("one column has no pairs")
    return choose_tables(schema)
