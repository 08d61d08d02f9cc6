"""The cheapest noise, on the answers or through contrasts, by the certified quantile of an answer's largest error.

The comparison uses public numbers only, so that choosing costs no privacy. In release mode the discrete mechanisms are
compared as they will be drawn; in simulate mode the continuous ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from flint import arb

from bounds.enclosure import as_fmpq
from bounds.errors import NotApplicable, ParameterError
from bounds.exact import Exact, parse_integer, parse_rational, require_range
from bounds.privacy.adjacency import Adjacency, read_adjacency
from bounds.privacy.concentrated import largest_rho
from bounds.privacy.gaussian import analytic_gaussian
from bounds.privacy.sensitivity import Sensitivity
from bounds.privacy.statements import LARGEST_EPSILON
from bounds.solve import enclose
from release.noise.kinds import CONTRAST_KINDS, LATTICE_KINDS, Alternative, LatticeKind, Mode, NoisePlan, read_mode
from release.noise.lattice import Moved, lattice_sensitivity
from release.noise.quantiles import largest_noise, on_answers, read_beta
from release.noise.scales import LARGEST_SUM, sampler_scale
from release.noise.through import Through, plan_through

_DIGITS = 15


def choose_noise(
    facts: Moved,
    denominator: int,
    *,
    epsilon: Exact,
    dp_delta: Exact | None = None,
    n: Exact,
    adjacency: Adjacency | str,
    beta: Exact,
    mode: str,
    mechanism: str | None = None,
    through: Sequence[Through] = (),
) -> NoisePlan:
    """The allowed mechanism with the least quantile, or the named one; Gaussian noise needs a dp_delta.

    `n` is the public number of records under replace-one, a public least number under add-remove. `through` are
    contrasts from which the caller can compute the answers.
    """
    budget = parse_rational(epsilon, "epsilon")
    require_range("epsilon", budget, epsilon, above=0, most=LARGEST_EPSILON)
    delta = None if dp_delta is None else parse_rational(dp_delta, "dp_delta")
    if delta is not None:
        require_range("dp_delta", delta, dp_delta, above=0, below=1)
    size = parse_integer(n, "n")
    require_range("n", size, n, least=1)
    failure, neighbours, kind = read_beta(beta), read_adjacency(adjacency), read_mode(mode)
    ways: dict[str, Through] = {way.mechanism: way for way in through}
    plans = []
    for name in _allowed(mechanism, delta, tuple(ways)):
        if name in ways:
            asked = {"epsilon": budget, "dp_delta": delta, "size": size, "adjacency": neighbours, "beta": failure}
            plans.append(plan_through(ways[name], mode=kind, **asked))  # type: ignore[arg-type]
        elif plan := _plan(name, facts, denominator, budget, delta, size, neighbours, failure, kind):  # type: ignore[arg-type]
            plans.append(plan)
    if not plans:
        raise NotApplicable(f"n = {size}: the sums do not fit into the 64 bits in which noise is drawn")
    best = min(plans, key=lambda plan: plan.quantile)
    return _with_alternatives(best, plans)


def _allowed(mechanism: str | None, delta: Fraction | None, ways: tuple[str, ...]) -> list[str]:
    known = [*LATTICE_KINDS, *ways]
    names = [name for name in known if delta is not None or name not in ("gaussian", "contrast-gaussian")]
    if mechanism is None:
        return names
    if mechanism in CONTRAST_KINDS and mechanism not in known:
        raise ParameterError("mechanism", mechanism, "one of " + ", ".join(names), "these queries have no contrasts")
    if mechanism not in known:
        raise ParameterError("mechanism", mechanism, "one of " + ", ".join(known))
    if mechanism not in names:
        raise ParameterError(
            "mechanism", mechanism, "one of " + ", ".join(names) + " without a dp_delta", "it is not purely private"
        )
    return [mechanism]


def _plan(
    mechanism: LatticeKind,
    facts: Moved,
    denominator: int,
    epsilon: Fraction,
    dp_delta: Fraction | None,
    size: int,
    adjacency: Adjacency,
    beta: Fraction,
    mode: Mode,
) -> NoisePlan | None:
    """The plan for one mechanism; None if OpenDP's 64 bits are too few for a release."""
    sensitivity, refinement = lattice_sensitivity(
        mechanism, facts, denominator=denominator, size=size, adjacency=adjacency
    )
    steps = size * denominator * refinement
    if mode == "release" and mechanism != "linf" and steps > LARGEST_SUM:
        return None
    used_delta = dp_delta if mechanism == "gaussian" else None
    scale = _scale(mechanism, sensitivity, epsilon, used_delta, mode)
    noise = largest_noise(mechanism, mode, count=facts.varying, scale=scale, beta=beta)
    return NoisePlan(
        mechanism=mechanism,
        mode=mode,
        epsilon=epsilon,
        dp_delta=used_delta,
        adjacency=adjacency,
        sensitivity=sensitivity,
        scale=scale,
        count=facts.varying,
        size=size,
        denominator=denominator,
        refinement=refinement,
        beta=beta,
        quantile=on_answers(noise, Fraction(1, steps), adjacency),
        alternatives=(),
    )


def _scale(
    mechanism: LatticeKind, sensitivity: Sensitivity, epsilon: Fraction, dp_delta: Fraction | None, mode: Mode
) -> Fraction:
    """The scale in lattice steps: exact, or just above for the samplers that take a double."""
    if dp_delta is None:
        exact = sensitivity.amount / epsilon
        return sampler_scale(exact) if mode == "release" and mechanism == "laplace" else exact
    if mode == "simulate":
        calibration = analytic_gaussian(
            epsilon=epsilon, dp_delta=dp_delta, adjacency=sensitivity.adjacency, digits=_DIGITS
        )
        return calibration.safe_sigma(sensitivity, digits=_DIGITS)
    # Discrete Gaussian noise is rho-zCDP with the rho of the continuous one; its exact delta curve is not the same.
    rho = largest_rho(epsilon=epsilon, dp_delta=dp_delta, adjacency=sensitivity.adjacency, digits=_DIGITS).safe_rho
    variance = as_fmpq(sensitivity.amount / (2 * rho))
    return sampler_scale(enclose(lambda: arb(variance).sqrt()).hi)


def _with_alternatives(best: NoisePlan, plans: list[NoisePlan]) -> NoisePlan:
    alternatives = tuple(Alternative(mechanism=p.mechanism, scale=p.scale, quantile=p.quantile) for p in plans)
    return replace(best, alternatives=alternatives)
