"""What tests of noisy tables say, as blocks of a document and as JSON: the test, the real table's, and the plan."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bounds.exact import show_rational
from mechanisms.infer.chi_square.answers import ChiSquareTest, PValue, RealTableVerdict, Shape, TestPlan
from mechanisms.infer.findings import Interval
from release.noise.kinds import NOT_A_RELEASE
from synthbounds.render.document import Answer, Block, Facts, Stamp, Vacuous
from synthbounds.render.numbers import json_integer

PROOF = "docs/proofs/synthbounds.noisy-chi-square.md"
NAIVE = (
    "do not run this test on synthetic rows, or on the noisy counts as if they were exact: the noise would count as "
    "an effect, and hypotheses that hold are rejected far more often than the level says"
)
_RESTS = {
    "exact": "exact: valid for every n and noise, but for pseudo-random numbers that stand for random ones",
    "simulated": "simulated at the margins that were estimated: kept its level in simulations, not proved",
    "asymptotic": "asymptotic: the limit of many records",
}
_RESTS_PRIVATE_SIZE = "simulated at the least size: cautious in the limit where there are more records, not proved"
_MOST_NAMED = 5


def test_blocks(found: ChiSquareTest) -> tuple[Block, ...]:
    """Whether it rejects, with the p-value to quote; then what it rests on and what it could have seen."""
    blocks: list[Block] = [Answer(tuple(_test_answer(found)))]
    if found.is_simulated:
        blocks.append(Stamp(NOT_A_RELEASE))
    if found.drowned:
        blocks.append(Vacuous(_drowned_text(found.drowned)))
    blocks.append(Facts(tuple(_test_facts(found))))
    return tuple(blocks)


def test_payload(found: ChiSquareTest) -> dict[str, Any]:
    return {
        "question": found.question,
        "about": "population",
        "stamp": NOT_A_RELEASE if found.is_simulated else None,
        **_shape_payload(found.shape),
        "level": show_rational(found.level),
        "statistic_est": found.statistic,
        "degrees": found.degrees,
        "critical_est": found.critical,
        "p_asymptotic": _p_payload(found.asymptotic),
        "p_simulated": _p_payload(found.simulated),
        "simulations": found.simulations,
        "seed": json_integer(found.seed),
        "recommended": "asymptotic" if found.simulated is None else "simulated",
        "rejects": found.rejects,
        "p_ignoring_noise": found.ignoring_noise_p,
        "effect": _interval_payload(found.effect),
        "effect_ignoring_noise": found.effect_with_noise,
        "noncentrality_est": found.noncentrality_est,
        "power_est": found.power_est,
        "effective_size_est": found.effective_size_est,
        "drowned": list(found.drowned),
        "naive": NAIVE,
        "proof": PROOF,
    }


def real_table_blocks(found: RealTableVerdict) -> tuple[Block, ...]:
    """Yes, no or cannot be told, and the range of the statistic."""
    about = {
        "yes": "for all noise in its ellipsoid Pearson's test on the real table rejects",
        "no": "for no noise in its ellipsoid does Pearson's test on the real table reject",
        "cannot be told": "the noise allows tables on which Pearson's test rejects and others on which it does not",
    }[found.verdict]
    if found.verdict == "cannot be told" and not found.shape.size_is_public:
        about = "not surely; the number of records is private, and with more of them the test rejects more easily"
    rows = (
        ("rejects", found.verdict, about),
        ("statistic", f"{found.least_est:.4g} to {found.most_est:.4g}", "of the real table; it rejects above the next"),
        ("critical", f"{found.critical:.4g}", f"chi-square, {found.degrees} degrees of freedom"),
    )
    level = show_rational(found.level)
    facts = (
        ("About", "the table itself: what its owner would see without the noise"),
        ("Level", f"{level} for the noise; the test is at significance {show_rational(1 - found.level)}"),
        ("Rests on", "margins that were estimated: exact given these, else the limit of many records"),
        *_noise_facts(found.shape),
        ("Proof", PROOF),
    )
    stamp = (Stamp(NOT_A_RELEASE),) if found.is_simulated else ()
    return (Answer(rows), *stamp, Facts(facts))


def real_table_payload(found: RealTableVerdict) -> dict[str, Any]:
    return {
        "question": "real-table",
        "about": "table",
        "stamp": NOT_A_RELEASE if found.is_simulated else None,
        **_shape_payload(found.shape),
        "level": show_rational(found.level),
        "verdict": found.verdict,
        "degrees": found.degrees,
        "critical_est": found.critical,
        "least_est": found.least_est,
        "most_est": found.most_est,
        "proof": PROOF,
    }


def test_plan_blocks(found: TestPlan) -> tuple[Block, ...]:
    """The power, and the size or the effect that would have more."""
    effect = f"Cramér's V = {found.effect:.3g}"
    wanted = f"{found.wanted_power:.2g}"
    size = "no size" if found.size_for_power is None else f"{found.size_for_power:,}"
    least = "none" if found.effect_for_power is None else f"{found.effect_for_power:.3g}"
    rows = (
        ("power", f"{found.power_est:.3f}", f"of finding {effect} at significance {show_rational(1 - found.level)}"),
        ("n", size, f"records from which on the power is {wanted}"),
        ("V", least, f"least effect that is found with power {wanted} at this n"),
    )
    facts = (
        ("Without privacy", f"power {found.power_without_privacy:.3f}"),
        ("Least", f"power {found.least_power_est:.3f} for such an effect where the noise hides it best"),
        (
            "Worst case",
            f"power {found.worst_case_power:.3f} where all noise must be allowed for, as here it need not",
        ),
        ("Worth", f"{found.effective_size_est:,.0f} of {found.shape.size:,} records without privacy"),
        ("Margins", _margins_text(found)),
        ("Degrees", f"{found.degrees} degrees of freedom"),
        *_noise_facts(found.shape),
        ("Rests on", "a noncentral chi-square: the limit of many records, near where cells have more than their noise"),
        ("Fewer tables", "less noise in each: release the pairs that will be tested (--pairs A:B) and no others"),
        ("Spent", "nothing: a plan uses public numbers only"),
        ("Proof", PROOF),
    )
    return (Answer(rows), Facts(facts))


def test_plan_payload(found: TestPlan) -> dict[str, Any]:
    return {
        "question": "plan-independence",
        "about": "population",
        **_shape_payload(found.shape),
        "level": show_rational(found.level),
        "degrees": found.degrees,
        "effect": found.effect,
        "margins": found.margins,
        "power_est": found.power_est,
        "least_power_est": found.least_power_est,
        "power_without_privacy_est": found.power_without_privacy,
        "worst_case_power_est": found.worst_case_power,
        "effective_size_est": found.effective_size_est,
        "wanted_power": found.wanted_power,
        "n_for_power": json_integer(found.size_for_power),
        "effect_for_power": found.effect_for_power,
        "proof": PROOF,
    }


def _drowned_text(drowned: tuple[str, ...]) -> str:
    named = ", ".join(drowned[:_MOST_NAMED]) + (", ..." if len(drowned) > _MOST_NAMED else "")
    counts = "1 value has a count" if len(drowned) == 1 else f"{len(drowned)} values have counts"
    return (
        f"{counts} below twice the deviation of the noise ({named}): the asymptotic p-value is too large where few "
        "tables show these columns, quote the simulated one"
    )


def _test_answer(found: ChiSquareTest) -> Iterator[tuple[str, str, str]]:
    quoted = found.recommended
    what = " and ".join(found.shape.columns)
    asked = f"{what} are independent" if found.question == "independence" else f"{what} has the given shares"
    if found.question == "fit" and len(found.shape.columns) == 2:
        asked = f"{what} have the given shares"
    said = "rejected" if found.rejects else "not rejected"
    yield "p-value", _p_text(quoted.value), f"{said} at {show_rational(1 - found.level)}: {asked}, in the population"
    yield "statistic", f"{found.statistic:.4g}", f"{found.degrees} degrees of freedom, noise in its covariance"
    lo, hi = found.effect.lo, found.effect.hi
    ends = f"at least {float(lo or 0):.3g}" if hi is None else f"{float(lo or 0):.3g} to {float(hi):.3g}"
    yield "effect", f"{found.effect.estimate or 0:.3g}", f"{found.effect.name}, {ends}; noise taken off"


def _test_facts(found: ChiSquareTest) -> Iterator[tuple[str, str]]:
    yield "P-value", _rests(found, found.recommended)
    if found.simulated is not None:
        drawn = f"{found.simulations:,} tables, seed {found.seed}; asymptotic {_p_text(found.asymptotic.value)}"
        yield "Drawn", f"{drawn}, critical value {found.critical:.4g}"
    naive = found.effect_with_noise
    seen = "" if naive is None else f"; {naive:.3g} if the noise were taken for an effect"
    yield "Effect", f"level {show_rational(found.level)}, asymptotic, whatever its direction{seen}"
    yield (
        "Power",
        f"{found.power_est:.3f} against the effect that was seen (noncentrality {found.noncentrality_est:.3g}): "
        "it says no more than the p-value",
    )
    worth = f"{found.effective_size_est:,.0f} of {found.shape.size:,} records without privacy"
    yield "Worth", worth + ("" if found.degrees == 1 else ", for an effect that is spread evenly")
    yield from _noise_facts(found.shape)
    yield "Not this way", f"{NAIVE} (p = {_p_text(found.ignoring_noise_p)} here)"
    yield "Proof", PROOF


def _rests(found: ChiSquareTest, p: PValue) -> str:
    private = p.kind == "simulated" and not found.shape.size_is_public
    return _RESTS_PRIVATE_SIZE if private else _RESTS[p.kind]


def _margins_text(found: TestPlan) -> str:
    if found.margins == "given":
        return "as given"
    return "uniform: rare values make the power smaller, so give the margins where they are known"


def _noise_facts(shape: Shape) -> Iterator[tuple[str, str]]:
    margins = ", ".join(
        f"{deviation:.3g} a count of {name} ({tables} {'table' if tables == 1 else 'tables'})"
        for name, deviation, tables in zip(shape.columns, shape.margin_deviations, shape.tables, strict=True)
    )
    cell = "" if shape.cell_deviation is None else f"{shape.cell_deviation:.3g} a cell, "
    yield "Noise", f"deviations in records: {cell}{margins}"
    if not shape.size_is_public:
        yield "Records", f"private, at least {shape.size:,}; answers are those of the least size, and cautious"


def _p_text(value: float) -> str:
    return f"{value:.3g}"


def _p_payload(p: PValue | None) -> dict[str, Any] | None:
    return None if p is None else {"value": p.value, "kind": p.kind}


def _interval_payload(found: Interval) -> dict[str, Any]:
    return {
        "name": found.name,
        "about": found.about,
        "kind": found.kind,
        "level": show_rational(found.level),
        "estimate": found.estimate,
        "lo_est": None if found.lo is None else float(found.lo),
        "hi_est": None if found.hi is None else float(found.hi),
    }


def _shape_payload(shape: Shape) -> dict[str, Any]:
    return {
        "columns": list(shape.columns),
        "levels": list(shape.levels),
        "n": json_integer(shape.size) if shape.size_is_public else None,
        "least_size": None if shape.size_is_public else json_integer(shape.size),
        "cell_sd": shape.cell_deviation,
        "margin_sds": list(shape.margin_deviations),
        "tables": list(shape.tables),
    }
