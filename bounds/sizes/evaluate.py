"""Apply a theorem to a setting: check hypotheses, decide every integer, choose the best route."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from bounds.arithmetic.ball import BALL
from bounds.enclosure import Enclosure
from bounds.errors import NotApplicable, NotCertified, SynthboundsError, UsageError
from bounds.model import Edition, Route, Theorem
from bounds.parameters import option_for
from bounds.privacy.adjacency import Adjacency
from bounds.quantities import Quantities
from bounds.queries import describe
from bounds.registry import find_theorem
from bounds.sizes.requirement import Alternative, DerivedResult, Guarantee, HypothesisResult, LowerBound, Requirement
from bounds.sizes.routes import RouteOutcome, derived_in_use, enclose_derived, enclose_formula, run_route
from bounds.sizes.setting import Setting
from bounds.sizes.statement import guarantee_of
from bounds.unbiased import records_for_all_contrasts

LOWER_BOUND_ID = "synthbounds.lower-bound"
UNBIASED_LIMIT_ID = "synthbounds.unbiased-limit"


def evaluate(theorem: Theorem, edition_name: str, setting: Setting, *, fewest_records: bool = False) -> Requirement:
    """The sizes that the edition requires, proved; NotApplicable if it does not cover the setting.

    With `fewest_records` the route with the fewest records is taken however many reference points it needs.
    """
    edition = edition_of(theorem, edition_name)
    outcomes, refusals = _outcomes(theorem, edition, setting)
    best = min(outcomes, key=RouteOutcome.size) if fewest_records else _choose(theorem, edition, setting, outcomes)
    alternatives = tuple(
        Alternative(o.route.name, o.counts.get("n"), o.counts.get("m"), o.counts.get("k"))
        for o in outcomes
        if o is not best
    ) + tuple(Alternative(route.name, None, None, None, str(error)) for route, error in refusals)
    return _requirement(theorem, edition, setting, best, alternatives)


def records_of(theorem: Theorem, edition_name: str, setting: Setting) -> int:
    """Records of the route that requires the fewest, decided as `evaluate` does, and nothing else."""
    outcomes, _ = _outcomes(theorem, edition_of(theorem, edition_name), setting)
    return min(outcomes, key=RouteOutcome.size).counts["n"]


def _outcomes(
    theorem: Theorem, edition: Edition, setting: Setting
) -> tuple[list[RouteOutcome], list[tuple[Route, SynthboundsError]]]:
    """What the routes require, at least one of them, and the refusals of the others."""
    if theorem.direction == "value":
        raise UsageError(f"{theorem.id} is a helper statement: see `synthbounds explain {theorem.id}`")
    require_inputs(theorem, theorem.inputs, setting)
    outcomes, refusals = _run_routes(theorem, edition, setting)
    if not outcomes:
        raise refusals[0][1]
    return outcomes, refusals


def edition_of(theorem: Theorem, name: str) -> Edition:
    edition = theorem.edition(name)
    if edition is None:
        has = ", ".join(e.name for e in theorem.editions)
        raise NotApplicable(f"{theorem.id} has no {name} edition (it has: {has})")
    return edition


def require_inputs(theorem: Theorem, names: tuple[str, ...], setting: Setting) -> None:
    """Name the first input that is missing."""
    known = setting.base_values()
    for name in names:
        if name not in known:
            raise UsageError(f"{option_for(name)} is missing: {theorem.id} needs it")


def _run_routes(
    theorem: Theorem, edition: Edition, setting: Setting
) -> tuple[list[RouteOutcome], list[tuple[Route, SynthboundsError]]]:
    outcomes: list[RouteOutcome] = []
    refusals: list[tuple[Route, SynthboundsError]] = []
    for route in edition.routes:
        try:
            require_inputs(theorem, route.inputs, setting)
            outcomes.append(run_route(theorem, edition, route, setting))
        except (NotApplicable, NotCertified, UsageError) as error:  # an undecided route is no reason to lose the others
            refusals.append((route, error))
    return outcomes, refusals


def _choose(theorem: Theorem, edition: Edition, setting: Setting, outcomes: list[RouteOutcome]) -> RouteOutcome:
    """Fewest records, but never more reference points than the corrected edition requires."""
    by_size = sorted(outcomes, key=RouteOutcome.size)
    if len(by_size) == 1 or edition.name != "sharp" or theorem.edition("corrected") is None:
        return by_size[0]
    corrected, _ = _run_routes(theorem, edition_of(theorem, "corrected"), setting)
    if not corrected:
        return by_size[0]
    n_cap, m_cap, _ = min(corrected, key=RouteOutcome.size).size()
    within = [o for o in by_size if o.size()[0] <= n_cap and o.size()[1] <= m_cap]
    return (within or by_size)[0]


def _requirement(
    theorem: Theorem,
    edition: Edition,
    setting: Setting,
    outcome: RouteOutcome,
    alternatives: tuple[Alternative, ...],
) -> Requirement:
    route = outcome.route
    derived = tuple(DerivedResult(d.name, d.meaning, enclose_derived(d.name, outcome)) for d in derived_in_use(outcome))
    guarantee = guarantee_of(outcome, setting, derived)
    renyi = next((d.enclosure for d in derived if d.name == "K"), None)
    kappa = setting.number("kappa")
    if renyi is None and kappa is not None:
        renyi = Enclosure.of(kappa)
    lower = _lower_bound(theorem, setting, guarantee, outcome.counts["n"]) if guarantee.any_data else None
    return Requirement(
        theorem=theorem.id,
        direction=theorem.direction,
        title=theorem.title,
        locator=theorem.citation.locator,
        edition=edition.name,
        route=route.name,
        summary=route.summary,
        measure=theorem.measure,
        n=outcome.counts["n"],
        m=outcome.counts.get("m"),
        k=outcome.counts.get("k"),
        k_given=setting.k is not None,
        queries=setting.family.total,
        family=setting.family.name,
        queries_in_words=describe(
            setting.family.name,
            setting.degree,
            setting.t,
            continuous=setting.continuous,
            fewest=setting.fewest_levels,
        ),
        domain_size=setting.domain_size,
        renyi_bound=renyi,
        terms=outcome.terms,
        derived=derived,
        guarantee=guarantee,
        hypotheses=_hypothesis_results(route, setting, outcome.values),
        alternatives=alternatives,
        lower_bound=lower,
        unbiased_limit=_unbiased_limit(setting, guarantee, outcome.counts["n"]) if guarantee.any_data else None,
        notes=_notes(edition, setting),
        proof=edition.proof,
        paper=theorem.citation.paper,
        precision=outcome.precision,
    )


def _notes(edition: Edition, setting: Setting) -> tuple[str, ...]:
    if edition.name != "corrected" or setting.adjacency is Adjacency.REPLACE_ONE:
        return edition.changes
    return (
        *edition.changes,
        "Add/remove adjacency: means are taken over max(n, n0) as in synthbounds.public-size, which has the same "
        "sensitivity; histogram noise of scale 2/epsilon is then more than needed.",
    )


def _hypothesis_results(route: Route, setting: Setting, values: Mapping[str, Fraction]) -> tuple[HypothesisResult, ...]:
    q = Quantities(BALL, values)
    results = tuple(
        HypothesisResult(h.text, "asserted", None, h.why)
        if h.holds is None
        else HypothesisResult(h.text, "checked", h.holds(q), h.why)
        for h in route.hypotheses
    )
    if setting.family.name == "bounded":  # the other families are known to be
        results += (HypothesisResult("every query takes values in [-1, 1]", "asserted", None),)
    return results


def _lower_bound(theorem: Theorem, setting: Setting, guarantee: Guarantee, sufficient: int) -> LowerBound | None:
    """Sizes below which no mechanism keeps this promise, if the packing argument applies."""
    if theorem.id == LOWER_BOUND_ID or setting.family.packing is None:
        return None
    bound = find_theorem(LOWER_BOUND_ID)
    edition = edition_of(bound, "sharp")
    numbers = {name: value for name, value in setting.numbers.items() if name != "k"}
    numbers["gamma"] = guarantee.failure_probability.hi / 4
    if guarantee.privacy.dp_delta is None:
        numbers.pop("dp_delta", None)  # a limit for the privacy that is promised, not for all that was allowed
    plain = replace(setting, mechanism=None, rows=None, release="rows", numbers=numbers)
    try:
        lower = run_route(bound, edition, edition.routes[0], plain)
    except (NotApplicable, NotCertified):  # a limit that is not decided is left out, never the answer
        return None
    n_term = next(term for term in lower.terms if term.quantity == "n" and term.binding)
    k_term = lower.terms[-1]
    return LowerBound(
        n=lower.counts["n"],
        k=lower.counts["k"],
        ratio=Fraction(sufficient, lower.counts["n"]),
        certificate_n=n_term.certificate,
        certificate_k=k_term.certificate,
        text=bound.guarantee,
    )


def _unbiased_limit(setting: Setting, guarantee: Guarantee, n: int) -> Enclosure | None:
    """The standard deviation that an unbiased mechanism with the promised privacy has in some answer, at n records."""
    factor, degree = setting.unbiased_factor, setting.degree
    pure = guarantee.privacy.dp_delta is None and setting.adjacency is Adjacency.REPLACE_ONE
    if factor is None or degree is None or not pure or n < records_for_all_contrasts(setting.p, setting.t, degree):
        return None
    (route,) = edition_of(find_theorem(UNBIASED_LIMIT_ID), "sharp").routes
    values = {"epsilon": setting.numbers["epsilon"], "n": Fraction(n), "unbiased_factor": factor}
    return enclose_formula(route.terms[0].formula, (), values)
