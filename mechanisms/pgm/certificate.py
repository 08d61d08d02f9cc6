"""How far a fitted model is from the estimate that its tables determine: its duality gap, enclosed.

A model in linear space consists of its float factors, taken as exact numbers. Its shares come from the sweep in floats,
with counted roundings, or from a sweep in balls if numbers could underflow. Potentials and gap are computed in balls.
Proof: docs/proofs/synthbounds.graphical-estimate.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, prod
from typing import TYPE_CHECKING, Any

from flint import arb

from bounds.enclosure import START_PRECISION, Enclosure, as_fmpq, precision
from bounds.errors import NotCertified
from mechanisms.pgm.algebra import Underflow
from mechanisms.pgm.balls import Balls, exact_table, exps_of, logs_of
from mechanisms.pgm.dual import SHARE
from mechanisms.pgm.roundings import Checked, least, relative_error, require_safe, roundings
from mechanisms.pgm.sweep import Sweep
from release.one_thread import one_thread

if TYPE_CHECKING:
    from mechanisms.pgm.law import Law
    from mechanisms.pgm.model import Model
    from mechanisms.pgm.plan import Scope

MOST_FLOPS = 10**8
"""Most operations of a forward sweep in balls; a larger one is not started, since it would take minutes."""
_GRID = 2**60


@dataclass(frozen=True, kw_only=True)
class FitCertificate:
    """What is certain about a fit, that is, about the model's factors taken as exact numbers."""

    gap: Enclosure
    """Duality gap, in nats."""
    l1: Fraction
    """No table of the model, for any set of columns, is farther than this in L1 from that of the estimate."""
    in_balls: bool
    """Whether the sweep had to be done in balls."""


def certify_fit(model: Model) -> FitCertificate:
    """The gap of a model and its consequences."""
    with precision(START_PRECISION), one_thread():
        try:
            known, in_balls = _by_floats(model.law), False
        except Underflow:
            known, in_balls = _by_balls(model.law), True
        gap = Enclosure.of(sum((_part(model, scope, known) for scope in model.scopes), arb(0)))
        # ||p - p*||_1 <= sqrt(G / (2 lam)), lam = N / SHARE
        square = arb(as_fmpq(gap.hi)) * SHARE / (2 * arb(model.total))
        return FitCertificate(
            gap=gap, l1=Fraction(ceil(Enclosure.of(square.sqrt()).hi * _GRID), _GRID), in_balls=in_balls
        )


@dataclass(frozen=True, eq=False)
class _Known:
    """For every scope, in the order of the layout: balls of the shares, and of the logarithms of the factor."""

    shares: list[Any]
    logs: list[Any]


def _by_floats(law: Law) -> _Known:
    if law.in_logs:
        raise Underflow
    layout = law.layout
    factors = layout.factors(law.potentials)
    for home in range(len(layout.homes)):
        require_safe(prod(least(f) for f, k in zip(factors, layout.home_of, strict=True) if k == home))
    shares = layout.tables(layout.out(Sweep(layout.plan, layout.products(factors), Checked()).marginals()))
    errors = [arb(1, 2 * float(relative_error(count))) for count in roundings(layout)]
    return _Known(
        [exact_table(table) * error for table, error in zip(shares, errors, strict=True)],
        [logs_of(exact_table(factor)) for factor in factors],
    )


def _by_balls(law: Law) -> _Known:
    layout = law.layout
    if layout.plan.flops > MOST_FLOPS:
        raise NotCertified(
            f"fit: numbers are too small for floats, and {layout.plan.flops} operations are too many for balls"
        )
    if law.in_logs:
        logs = layout.tables(exact_table(law.potentials))
        factors = [exps_of(table) for table in logs]
    else:
        factors = [exact_table(factor) for factor in layout.factors(law.potentials)]
        logs = [logs_of(factor) for factor in factors]
    homes = Sweep(layout.plan, layout.products(factors), Balls()).marginals()
    return _Known(layout.tables(layout.out(homes)), logs)


def _part(model: Model, scope: Scope, known: _Known) -> arb:
    """The contribution of one scope to the gap: half the squares of N mu - y + sd^2 theta / SHARE, in deviations.

    Adding a constant to the potentials of a scope does not change the model; floats choose the constant.
    """
    place = model.law.layout.scopes.index(scope)
    shares, logs = known.shares[place].ravel(), known.logs[place].ravel()
    tables = [table for table in model.tables if table.columns == scope]
    base = exact_table(model.bases[scope[0]]) if len(scope) == 1 else None
    total = arb(model.total)
    cells = []
    for i, share in enumerate(shares):
        if share == 0:  # no record can be there: the cell's term is the same for all laws
            continue
        weights = [1 / arb(float(table.deviations.flat[i])) ** 2 for table in tables]
        weight = sum(weights, arb(0))
        counted = sum((w * arb(float(t.counts.flat[i])) for w, t in zip(weights, tables, strict=True)), arb(0)) / weight
        theta = logs[i] if base is None else logs[i] - base[i].log()
        cells.append((total * share - counted + theta / (SHARE * weight), weight))
    constant = arb(-sum(float(left) for left, _ in cells) / sum(1 / float(weight) for _, weight in cells))
    return sum(((left + constant / weight) ** 2 * weight for left, weight in cells), arb(0)) / 2
