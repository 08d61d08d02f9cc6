"""A certificate for a model as a document and as JSON: the sentence, its origin, what would make the bound smaller."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from bounds.certify.classes import INSIDE, ModelClass
from bounds.certify.verdict import VACUOUS
from bounds.enclosure import decimal_text
from bounds.exact import show_rational
from mechanisms.models.certify.from_moments import Answer as Certified
from mechanisms.models.certify.from_moments import ModelCertificate
from mechanisms.models.plan.improve import Improvement
from mechanisms.models.train.over_tau import OverTau
from release.noise.kinds import NOT_A_RELEASE
from synthbounds.render.document import Answer, Block, Document, Facts, Stamp, Table, Title, Vacuous
from synthbounds.render.numbers import down, json_enclosure, json_integer, up
from synthbounds.render.planned_query import failure_text, parts_table, route_payload
from synthbounds.render.reach import reach_payload, reach_tables

_DIGITS = 4


def class_text(compared_with: ModelClass, largest_intercept: Fraction | None = None) -> str:
    """The class in words; a free intercept is any, or of at most that size."""
    words = (
        "linear model"
        if compared_with.tau is None
        else f"linear model of norm at most {show_rational(compared_with.tau)}"
    )
    if compared_with.intercept == INSIDE:
        return words
    if largest_intercept is None:
        return f"{words}, with any intercept,"
    return f"{words}, with an intercept of at most {show_rational(largest_intercept)} in size,"


def objective_text(compared_with: ModelClass) -> str:
    risk = f"mean {compared_with.loss} loss on the real table"
    return risk if compared_with.ridge is None else f"{risk} plus {show_rational(compared_with.ridge)}/2 norm^2"


def sentence(found: Certified) -> str:
    """What is certified, in one sentence."""
    return statement(found.compared_with, found.beta, found.bound)


def statement(
    compared_with: ModelClass, beta: Fraction, bound: Fraction, largest_intercept: Fraction | None = None
) -> str:
    """That no model of the class gains more than the bound, except with probability beta."""
    sure = decimal_text((1 - beta) * 100, 6, up=False)
    return (
        f"With confidence {sure} %, no {class_text(compared_with, largest_intercept)} has a "
        f"{objective_text(compared_with)} "
        f"that is lower than this model's by more than {up(bound)}."
    )


def certification_document(
    found: ModelCertificate,
    smaller: tuple[Improvement, ...] = (),
    written_to: str | None = None,
    reached: OverTau | None = None,
) -> Document:
    """The sentence first; then the numbers around it; what the class reaches; where the bound comes from; what would
    make it smaller."""
    blocks = answer_blocks(found, simulated=found.release.is_simulated)
    written = () if written_to is None else (("Written", f"{written_to}, the proof, for `synthbounds check`"),)
    blocks += [*reach_tables(reached), parts(found), routes(found), Facts((*written, *_facts(found)))]
    if smaller:
        rows = tuple((change.change, f"{change.bound_est:.3g}") for change in smaller)
        blocks.append(
            Table("What would make the bound smaller (estimates)", ("", "excess"), rows, right=frozenset({1}))
        )
    return tuple(blocks)


def answer_blocks(found: Certified, *, simulated: bool) -> list[Block]:
    """The sentence, the numbers, what they are worth, and what the reader must not miss."""
    lines = found.baselines
    rows = [
        ("excess", up(found.bound), "at most, certified"),
        ("risk", up(lines.model_risk), "at most, for this model on the real table, certified"),
    ]
    if lines.penalty:
        rows.append(("penalty", up(lines.penalty), "of this model, to be added to its risk"))
    gain = lines.constant_gain
    if lines.label_is_number and gain is not None and gain > 0:
        rows.append(("gain", down(gain), "at least, over every constant score there, certified"))
    elif lines.constant_risk is not None and not lines.label_is_number:
        rows.append(("constant", down(lines.constant_risk), "at least, for every constant score there, certified"))
    rows.append(("verdict", found.verdict, found.verdict_reason))
    blocks: list[Block] = [Title("Certificate for a model", sentence(found)), Answer(tuple(rows))]
    if simulated:
        blocks.append(Stamp(NOT_A_RELEASE))
    if found.verdict == VACUOUS:
        blocks.append(Vacuous(found.verdict_reason))
    return blocks


def parts(found: Certified) -> Table:
    if found.query is not None and found.by_query:
        return parts_table(found.query)
    best = found.best.found
    assert best is not None
    rows = tuple((name, up(value.hi)) for name, value in best.bound.parts)
    return Table(f"Where the {up(found.bound)} comes from", ("part", "at most"), rows, right=frozenset({1}))


def routes(found: Certified) -> Table:
    rows = [
        (route.name, str(route.degree), "-" if route.value is None else up(route.value), route.reason)
        for route in found.routes
    ]
    if found.query is not None:
        rows.append(("planned query", "-", up(found.query.bound), "the gradient at this model"))
    marked = frozenset({len(rows) - 1 if found.by_query else found.routes.index(found.best)})
    return Table(
        "Routes",
        ("polynomial", "degree", "bound", ""),
        tuple(rows),
        right=frozenset({1, 2}),
        marked=marked,
        legend="least",
    )


def _facts(found: ModelCertificate) -> tuple[tuple[str, str], ...]:
    release, known, best = found.release, found.problem.known, found.best.found
    features = release.feature_map
    assert best is not None
    public = (
        f"n = {release.stated_size:,} is public" if release.size_is_exact else f"n is at least {release.stated_size:,}"
    )
    scope = "any number of models, however they were made: all certificates of degree 2 hold on one event"
    if found.by_query:
        scope = "only this model; model, norm, penalty and confidence must have been fixed before the answer was seen"
    elif not found.uniform_over_models:
        scope = "only this model, which must not depend on the noise of the fourth moments"
    radii = f"first moments within {up(known.first_radius)}, second within {up(known.second_radius)} (operator norm)"
    if known.weighted is not None:
        radii += f", those weighted by the model within {up(known.weighted_radius)}"
    return (
        (
            "Compared with",
            f"every {class_text(found.compared_with).rstrip(',')}; scores up to {up(found.problem.compared.reach)}",
        ),
        (
            "Model",
            f"{len(found.model.coefficients)} coefficients, norm {up(found.model.norm_hi)}; "
            f"{found.model.made or 'made elsewhere'}",
        ),
        *([("Label", f"{features.label_text}; losses are (y - score)^2/2")] if features.label_is_number else []),
        ("Holds for", scope),
        ("Event", f"{radii}; fails with probability at most {show_rational(found.moments_beta)}"),
        *_query_facts(found),
        (
            "Release",
            f"epsilon = {show_rational(release.epsilon)}, dp-delta = {show_rational(release.dp_delta)}, "
            f"adjacency {release.adjacency.value}, {public}; certifying spends nothing",
        ),
        (
            "Proof",
            "docs/proofs/synthbounds.gradient-query.md"
            if found.by_query
            else f"the polynomial was compared with the loss in {best.excess.cells:,} cells, in ball arithmetic; "
            "docs/proofs/synthbounds.model-certificate.md",
        ),
    )


def _query_facts(found: ModelCertificate) -> tuple[tuple[str, str], ...]:
    if found.query is None:
        return ()
    return (("Query", f"fails with probability {failure_text(found.query)}"),)


def certification_payload(
    found: ModelCertificate, smaller: tuple[Improvement, ...] = (), reached: OverTau | None = None
) -> dict[str, Any]:
    release, model = found.release, found.model
    return {
        **answer_payload(found, reached),
        "release": {
            "digest": release.digest,
            "mode": release.mode,
            "stamp": NOT_A_RELEASE if release.is_simulated else None,
            "epsilon": show_rational(release.epsilon),
            "dp_delta": show_rational(release.dp_delta),
            "adjacency": release.adjacency.value,
            "n": json_integer(release.stated_size) if release.size_is_exact else None,
            "least_size": None if release.size_is_exact else json_integer(release.stated_size),
            "n_is_public": release.size_is_exact,
            "feature_map_digest": release.feature_map.digest,
        },
        "model": {
            "features": list(release.feature_map.names),
            "norm": up(model.norm_hi, 25),
            "made": model.made,
            "release": model.release,
        },
        "improvements": [
            {"name": change.name, "change": change.change, "excess_est": change.bound_est} for change in smaller
        ],
    }


def answer_payload(found: Certified, reached: OverTau | None = None) -> dict[str, Any]:
    """What does not depend on where the moments come from."""
    best = found.best.found
    assert best is not None
    problem, lines = found.problem, found.baselines
    return {
        "statement": sentence(found),
        "verdict": found.verdict,
        "verdict_reason": found.verdict_reason,
        "excess_upper": up(found.bound, 25),
        "excess": None if found.by_query else json_enclosure(best.bound.value),
        "beta": show_rational(found.beta),
        "by_query": found.by_query,
        "class": {
            "tau": None if found.compared_with.tau is None else show_rational(found.compared_with.tau),
            "ridge": None if found.compared_with.ridge is None else show_rational(found.compared_with.ridge),
            "intercept": found.compared_with.intercept,
            "loss": found.compared_with.loss,
            "R": up(problem.compared.reach, 25),
        },
        "degree": found.degree,
        "uniform_over_models": found.uniform_over_models,
        "breakdown": [{"name": name, "enclosure": json_enclosure(value)} for name, value in best.bound.parts],
        "routes": [
            {
                "name": route.name,
                "degree": route.degree,
                "bound": None if route.value is None else up(route.value, 25),
                "reason": route.reason or None,
            }
            for route in found.routes
        ],
        "query": None if found.query is None else route_payload(found.query),
        "event": {
            "beta": show_rational(found.moments_beta),
            "first_radius": up(problem.known.first_radius, 25),
            "second_radius": up(problem.known.second_radius, 25),
            "weighted_radius": None if problem.known.weighted is None else up(problem.known.weighted_radius, 25),
            "scale": "features in [-1, 1], not divided by the root of the squared norm",
        },
        "trivial_bounds": {
            "zero_risk": up(lines.zero_risk, 25),
            "largest_gap": up(lines.largest_gap, 25),
            "constant_risk_lower": None
            if lines.constant_risk is None or lines.label_is_number
            else down(lines.constant_risk, 25),
            **({"constant_gain_lower": down(lines.constant_gain or Fraction(0), 25)} if lines.label_is_number else {}),
            "model_risk_upper": up(lines.model_risk, 25),
            "model_penalty": up(lines.penalty, 25),
        },
        **reach_payload(reached),
    }
