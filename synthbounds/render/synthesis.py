"""A synthetic table's report as a document and as JSON."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

from bounds.enclosure import Enclosure
from bounds.exact import show_rational
from bounds.privacy.adjacency import Adjacency
from bounds.queries import describe
from lp.synthesis.run import Synthesis
from release.noise.kinds import NOT_A_RELEASE, NoisePlan, PlanKind
from synthbounds.render.document import Answer, Block, Bullets, Document, Facts, Stamp, Table, Title, Vacuous
from synthbounds.render.numbers import down, enclosure_text, integer_text, json_enclosure, json_integer, up

FARTHER = "the rows are farther from the density than the promise assumes; the certificate holds"
_NOISE: dict[PlanKind, str] = {
    "laplace": "Laplace noise",
    "linf": "l_inf (cube K-norm) noise",
    "gaussian": "Gaussian noise",
    "contrast-linf": "l_inf (cube K-norm) noise on contrasts",
    "contrast-gaussian": "Gaussian noise on contrasts",
}


def synthesis_document(found: Synthesis, written_to: str) -> Document:
    """Answer first, then what it rests on."""
    blocks: list[Block] = [
        Title("Synthetic table", "Boedihardjo's algorithm (Algorithm 1 of bojkovic2024)"),
        Answer(_answer(found)),
    ]
    if found.plan.question.mode == "simulate":
        blocks.append(Stamp(NOT_A_RELEASE))
    nothing = _why_nothing(found)
    if nothing is not None:
        blocks.append(Vacuous(nothing))
    blocks += [Facts(_facts(found, written_to)), _noise_table(found.plan.noise)]
    if found.advice is not None:
        blocks.append(Facts((("More", found.advice),)))
    if found.plan.promise.hypotheses and found.plan.promise.kept:
        blocks.append(Bullets("The promise assumes", found.plan.promise.hypotheses))
    return tuple(blocks)


def _why_nothing(found: Synthesis) -> str | None:
    if found.noise_exceeded:
        return "the noise is larger than its quantile, as it may be with its failure probability: nothing is certified"
    if not found.says_nothing:
        return None
    trivial = show_rational(Fraction(found.plan.question.family.facts.trivial_accuracy))
    return f"a table chosen without looking at the data has no larger error than {trivial}"


def _answer(found: Synthesis) -> tuple[tuple[str, str, str], ...]:
    unless = f"except with probability {show_rational(found.plan.noise.beta)}"
    if found.plan.question.adjacency is not Adjacency.REPLACE_ONE:
        unless += f", for {found.plan.question.size:,} records or more"
    promise = found.plan.promise
    rows = [
        ("k", integer_text(found.plan.k), "rows of the synthetic table"),
        ("error", up(found.accuracy, 6), f"at most, for any query, {unless}: certified after the fact"),
    ]
    if promise.accuracy is not None and promise.kept:
        rows.append(("promise", up(promise.accuracy, 6), "was promised for it in advance"))
    return tuple(rows)


def _facts(found: Synthesis, written_to: str) -> tuple[tuple[str, str], ...]:
    question = found.plan.question
    facts, promise = question.family.facts, found.plan.promise
    fewest, most = min(question.domain.sizes), max(question.domain.sizes)
    words = describe(facts.name, question.degree or None, most, continuous=False)
    if fewest < most:
        words = words.replace(f"{most} levels", f"{fewest} to {most} levels")
    rows = [
        ("Written", written_to),
        ("Method", f"lp: {found.because or 'asked for'}"),
        ("Queries", f"{facts.varying:,} ({facts.name}: {words})"),
        ("Privacy", _privacy(found)),
        ("Points", found.points),
        ("Optimum", _optimum(found)),
        *((("Foreseen", f"{found.cost.text}, from public sizes"),) if found.is_fitted else ()),
        ("Rows", _rows(found)),
        ("Error", _error(found)),
    ]
    if promise.broken:
        rows.append(("Promise", f"none in advance: {promise.broken}"))
    else:
        every = "for every data set" if promise.any_data else "for independent records"
        if question.adjacency is not Adjacency.REPLACE_ONE:
            every += f" of at least {question.size:,} records"
        rows.append(("Promise", f"by {promise.theorem}, {promise.route}, {every}"))
    if promise.required_size is not None:
        asked = "" if promise.asked is None else f" for accuracy {show_rational(promise.asked)}"
        rest = "" if found.plan.product is not None else ", a quarter of it for the rows"
        asks = f"{promise.route}: needs {promise.required_size:,} records{asked}{rest}"
        rows.append(("Theorem", f"{asks}; {_size(found)}"))
    if found.seed is not None:
        rows.append(("Seed", str(found.seed)))
    return tuple(rows)


def _error(found: Synthesis) -> str:
    plan = found.plan
    if plan.product is None:
        parts = ("the noisy answers", "the noise")
    elif plan.question.degree == 1:
        parts = ("consistent one-way tables", "the noise, which counts once")
    else:
        parts = ("the product of one-way tables", "the noise and what one-way tables leave open")
    return f"{up(found.observed, 6)} from {parts[0]}, observed, plus {up(plan.target_error, 6)} for {parts[1]}"


def _size(found: Synthesis) -> str:
    question = found.plan.question
    if question.adjacency is Adjacency.REPLACE_ONE:
        return f"the table has n = {question.size:,}"
    return f"the table is said to have at least {question.size:,}"


def _privacy(found: Synthesis) -> str:
    question = found.plan.question
    public = "n is public"
    if question.adjacency is not Adjacency.REPLACE_ONE:
        public = f"n is private, at least {question.size:,}"
    delta = f", dp-delta = {show_rational(found.dp_delta_spent)}" if found.dp_delta_spent else ""
    spent = f"epsilon = {enclosure_text(Enclosure.of(found.epsilon_spent), 12)}{delta} spent in total"
    if question.mode == "simulate":
        spent = f"none; a release would spend epsilon = {show_rational(question.epsilon)}{delta}"
    return f"{spent}; adjacency {question.adjacency.value}; {public}"


def _optimum(found: Synthesis) -> str:
    if found.plan.product is not None:
        middle = ", moved to the middle of what they leave open" if found.plan.product.centred else ""
        return f"independent columns have exactly the intended answers: those of one-way tables{middle}"
    least = "the least distance from a density to the noisy answers"
    if found.gap == 0:
        return f"{enclosure_text(found.optimum, 9)} is {least}, exactly"
    if found.is_fitted:
        low, high = down(found.optimum.lo, 6), up(found.optimum.hi, 6)
        return f"between {low} and {high} is {least}, certified: {_within(found)}"
    if found.optimum.lo == 0:
        return f"{up(found.optimum.hi, 3)} or less is {least}, certified"
    return f"{enclosure_text(found.optimum, 9)} is {least}, certified gap {up(found.gap, 3)}"


def _within(found: Synthesis) -> str:
    """How close the density of a large programme is to the best one."""
    if found.within is None:
        return "how close to the best possible is not known"
    return f"the density is within {up(100 * found.within, 3)} % of the best possible"


def _rows(found: Synthesis) -> str:
    distinct = f"{found.support:,} distinct ones of {found.columns:,} points"
    if found.plan.product is not None and not found.plan.product.whole:
        return f"{found.support:,} distinct ones, each column with the right shares, in an order of its own"
    if found.way == "sampling":
        asked = f"; not rounded from a vertex: {found.way_reason}" if found.way_reason else ""
        return f"{distinct}, drawn from a density on all of them{asked}"
    reason = f"; not drawn from a density on all points: {found.way_reason}" if found.way_reason else ""
    return f"{distinct}, rounded from a vertex, which has few{reason}"


def _noise_table(noise: NoisePlan) -> Table:
    ranked = sorted(noise.alternatives, key=lambda a: a.quantile)
    rows = tuple((_NOISE[a.mechanism], up(a.quantile, 6)) for a in ranked)
    moved = f"{ceil(noise.sensitivity.amount):,}"
    if noise.sensitivity.norm == "L2":
        moved = f"sqrt({moved})"
    sums = "sums of contrasts" if noise.is_through_contrasts else "sums"
    each = ", over their relative deviations" if noise.mechanism == "contrast-gaussian" else ""
    title = (
        f"Noise on {noise.count:,} {sums}, which one record moves by at most {moved} steps in "
        f"{noise.sensitivity.norm}{each}"
    )
    return Table(
        title,
        ("mechanism", f"largest error of an answer, except with probability {show_rational(noise.beta)}"),
        rows,
        right=frozenset({1}),
        marked=frozenset(i for i, a in enumerate(ranked) if a.mechanism == noise.mechanism),
        legend="used",
    )


def synthesis_payload(found: Synthesis, written_to: str) -> dict[str, Any]:
    plan, question, noise = found.plan, found.plan.question, found.plan.noise
    promise = plan.promise
    public = question.adjacency is Adjacency.REPLACE_ONE
    return {
        "method": "lp",
        "choice": {"reason": found.because, "advice": found.advice},
        "mode": question.mode,
        "stamp": NOT_A_RELEASE if question.mode == "simulate" else None,
        "synthetic": written_to,
        "n": json_integer(question.size) if public else None,
        "least_size": None if public else json_integer(question.size),
        "k": json_integer(plan.k),
        "family": question.family.facts.name,
        "degree": question.degree,
        "queries": question.family.facts.varying,
        "domain_size": json_integer(question.domain.size),
        "measure": question.measure,
        "points": found.points,
        "columns": found.columns,
        "optimum": json_enclosure(found.optimum),
        "gap": up(found.gap, 25),
        "within": None if found.within is None else up(found.within, 25),
        "foreseen": {
            "cpu_seconds_est": f"{max(found.cost.seconds_est, 0.1):.2g}",
            "megabytes_est": round(found.cost.bytes_est / 10**6),
        },
        "support": found.support,
        "solver": found.method,
        "rows": found.way,
        "rows_reason": found.way_reason or None,
        "epsilon_spent": up(found.epsilon_spent, 25) if question.mode == "release" else None,
        "dp_delta_spent": up(found.dp_delta_spent, 25) if question.mode == "release" else None,
        "adjacency": question.adjacency.value,
        "n_is_public": public,
        "noise": {
            "mechanism": noise.mechanism,
            "scale": json_enclosure(Enclosure.of(noise.scale * noise.unit)),
            "sensitivity": {"norm": noise.sensitivity.norm, "steps": str(noise.sensitivity.amount)},
            "steps_per_unit": json_integer(noise.steps),
            "quantile": up(noise.quantile, 25),
            "alternatives": [{"mechanism": a.mechanism, "quantile": up(a.quantile, 25)} for a in noise.alternatives],
        },
        "certificate": {
            "vacuous": found.says_nothing or found.noise_exceeded,
            "reason": _why_nothing(found),
            "accuracy": up(found.accuracy, 25),
            "observed": up(found.observed, 25),
            "noise": up(plan.target_error, 25),
            "failure_probability": show_rational(noise.beta),
            "least_size": None if public else json_integer(question.size),
            "theorem": "synthbounds.a-posteriori",
        },
        "theorem": promise.theorem,
        "promise": {
            "kept": promise.kept and found.promise_holds,
            "reason": promise.broken or (None if found.promise_holds else FARTHER),
            "accuracy": None if promise.accuracy is None else up(promise.accuracy, 25),
            "failure_probability": show_rational(promise.failure),
            "any_data": promise.any_data,
            "route": promise.route,
            "required_n": json_integer(promise.required_size),
            "hypotheses": list(promise.hypotheses),
        },
        "seed": found.seed,
    }
