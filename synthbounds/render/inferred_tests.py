"""What tests of noisy tables say, as blocks of a document and as JSON, and what is known about the real one's test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bounds.exact import show_rational
from mechanisms.infer.chi_square.answers import ChiSquareTest, PValue, RealTableVerdict, Shape
from mechanisms.infer.chi_square.real_table import NOT_NORMAL
from mechanisms.infer.findings import Interval
from synthbounds.render.document import Answer, Block, Facts, Title, Vacuous
from synthbounds.render.inferred import SPENT, interval_payload
from synthbounds.render.numbers import json_integer

PROOF = "docs/proofs/synthbounds.noisy-chi-square.md"
NAIVE = (
    "do not run this test on synthetic rows, or on the noisy counts as if they were exact: the noise would count as "
    "an effect, and true hypotheses would be rejected far more often than the level says"
)
_RESTS = {
    "exact": "exact: at most its level for every n and noise, except that pseudo-random numbers replace random ones",
    "simulated": "simulated at the estimated margins: it kept its level in simulations, not proved",
}
_RESTS_PRIVATE_SIZE = "simulated at the least size: conservative in the limit if there are more records, not proved"
_RESTS_FIT = "simulated: exact except for rounding on top of the noise, whose distribution is not stated"
_MOST_NAMED, _LEAST_SHOWN, _LEAST_P = 5, 1.5, 1e-300


def chi_square_blocks(found: ChiSquareTest, real: RealTableVerdict | None = None) -> tuple[Block, ...]:
    """Whether it rejects, with the p-value to quote; then what it rests on and what it could have detected."""
    what = " and ".join(found.shape.columns)
    title = f"Independence of {what}" if found.question == "independence" else f"Fit of {what} to the given shares"
    blocks: list[Block] = [Title(title, test_sentence(found)), Answer(tuple(_test_rows(found, real)))]
    if found.effect.note:
        blocks.append(Vacuous(f"{found.effect.name}: {found.effect.note}"))
    if real is not None and real.verdict == "cannot be told":
        blocks.append(Vacuous(f"the real table: {_real_text(real)}"))
    return (*blocks, Facts(tuple(_test_facts(found, real))))


def test_sentence(found: ChiSquareTest) -> str:
    """The answer as a statistician would write it."""
    what = " and ".join(found.shape.columns)
    asked = f"{what} are independent" if found.question == "independence" else f"{what} has the given shares"
    if found.question == "fit" and len(found.shape.columns) == 2:
        asked = f"{what} have the given shares"
    said = "is rejected" if found.rejects else "is not rejected"
    return (
        f"That {asked} in the population {said} at significance {show_rational(1 - found.level)} "
        f"(chi-square of the noisy table = {found.statistic:.4g}, {_degrees(found.degrees)}, "
        f"p {_drawn_p(found)}); {found.effect.name} is {_ends(found.effect)}."
    )


def chi_square_details(found: ChiSquareTest, real: RealTableVerdict | None = None) -> dict[str, Any]:
    """What no interval says; the effect is among the conclusions."""
    return {
        **shape_payload(found.shape),
        "test": found.question,
        "p_value": found.simulated.value,
        "statistic_est": found.statistic,
        "degrees": found.degrees,
        "critical_est": found.critical,
        "p_asymptotic": _p_payload(found.asymptotic),
        "p_simulated": _p_payload(found.simulated),
        "simulations": found.simulations,
        "seed": json_integer(found.seed),
        "rejects": found.rejects,
        "rests_on": _rests(found),
        "p_ignoring_noise": found.ignoring_noise_p,
        "effect_ignoring_noise": found.effect_with_noise,
        "noncentrality_est": found.noncentrality_est,
        "power_est": found.power_est,
        "effective_size_est": found.effective_size_est,
        "drowned": list(found.drowned),
        "real_table": None if real is None else real_table_details(real),
        "naive": NAIVE,
        "proof": PROOF,
    }


def real_table_details(found: RealTableVerdict) -> dict[str, Any]:
    return {
        "verdict": found.verdict,
        "degrees": found.degrees,
        "critical_est": found.critical,
        "conclusions": [interval_payload(one) for one in found.conclusions],
        "proof": PROOF,
    }


def _test_rows(found: ChiSquareTest, real: RealTableVerdict | None) -> Iterator[tuple[str, str, str]]:
    said = "rejected" if found.rejects else "not rejected"
    yield "p-value", _drawn_p(found).removeprefix("= "), f"{said} at significance {show_rational(1 - found.level)}"
    yield "statistic", f"{found.statistic:.4g}", f"{_degrees(found.degrees)}, noise included in its covariance"
    estimate = "not told" if found.effect.estimate is None else f"{found.effect.estimate:.3g}"
    yield "effect", estimate, f"{found.effect.name}, {_ends(found.effect)}; noise removed"
    if real is not None:
        yield "real table", real.verdict, "would Pearson's test on it, without noise, reject?"
        yield "its effect", _ends(real.effect), f"{real.effect.name}, without noise"
        yield "its statistic", _ends(real.statistic), f"Pearson's, without noise; rejects above {real.critical:.4g}"


def _test_facts(found: ChiSquareTest, real: RealTableVerdict | None) -> Iterator[tuple[str, str]]:
    yield "About", "the population that the records were drawn from, independently"
    yield "P-value", _rests(found)
    drawn = f"{found.simulations:,} tables, seed {found.seed}"
    if _is_least(found):
        drawn += ", which can show no smaller p-value"
    yield "Drawn", f"{drawn}; asymptotic {_p_text(found.asymptotic.value)}, critical value {found.critical:.4g}"
    if found.drowned:
        yield "Drowned", _drowned_text(found.drowned)
    naive = found.effect_with_noise
    seen = "" if naive is None else f"; {naive:.3g} if the noise were taken for an effect"
    yield "Effect", f"level {show_rational(found.level)}, asymptotic, whatever its direction{seen}"
    if found.effect.width_without_privacy is not None and found.effect.width is not None:
        yield "Width", f"{found.effect.width:.3g}; {found.effect.width_without_privacy:.3g} without privacy"
    yield (
        "Power",
        f"{found.power_est:.3f} against the observed effect (noncentrality {found.noncentrality_est:.3g}): "
        "this says no more than the p-value",
    )
    worth = f"as much as {found.effective_size_est:,.0f} of {found.shape.size:,} records without privacy"
    yield "Worth", worth + ("" if found.degrees == 1 else ", for an effect that is spread evenly")
    if real is not None:
        yield "Real table", f"{_real_text(real)}; {_real_level(real)}"
    elif found.question == "independence":
        yield "Real table", f"not answered: {NOT_NORMAL}"
    yield from _noise_facts(found.shape)
    yield "Warning", f"{NAIVE} (p = {_p_text(found.ignoring_noise_p)} here)"
    yield "Spent", SPENT
    yield "Proof", PROOF


def _rests(found: ChiSquareTest) -> str:
    if found.simulated.kind != "simulated":
        return _RESTS[found.simulated.kind]
    if not found.shape.size_is_public:
        return _RESTS_PRIVATE_SIZE
    return _RESTS_FIT if found.question == "fit" else _RESTS["simulated"]


def _real_text(found: RealTableVerdict) -> str:
    if found.verdict == "cannot be told" and not found.shape.size_is_public:
        return "not for certain; the number of records is private, and with more of them the test rejects more easily"
    return {
        "yes": "it rejects for all noise in the ellipsoid",
        "no": "it rejects for no noise in the ellipsoid",
        "cannot be told": "the noise allows tables on which it rejects and others on which it does not",
    }[found.verdict]


def _real_level(found: RealTableVerdict) -> str:
    return (
        f"the noise is in this ellipsoid with probability {show_rational(found.level)}, exactly at the estimated "
        "margins, otherwise in the limit of many records"
    )


def _drowned_text(drowned: tuple[str, ...]) -> str:
    named = ", ".join(drowned[:_MOST_NAMED]) + (", ..." if len(drowned) > _MOST_NAMED else "")
    counts = "1 value has a count" if len(drowned) == 1 else f"{len(drowned)} values have counts"
    return (
        f"{counts} below twice the deviation of the noise ({named}): the asymptotic p-value is too large if few "
        "tables contain these columns; quote the simulated one"
    )


def _ends(found: Interval) -> str:
    lo = float(found.lo or 0)
    return f"at least {lo:.3g}" if found.hi is None else f"from {lo:.3g} to {float(found.hi):.3g}"


def _degrees(degrees: int) -> str:
    return "1 degree of freedom" if degrees == 1 else f"{degrees:,} degrees of freedom"


def _noise_facts(shape: Shape) -> Iterator[tuple[str, str]]:
    yield "Noise", f"standard deviations in records: {noise_text(shape)}"
    if not shape.size_is_public:
        yield "Records", f"private, at least {shape.size:,}; answers are for the least size, and conservative"


def noise_text(shape: Shape) -> str:
    """Of a cell, and of a count of either column."""
    margins = ", ".join(
        f"{deviation:.3g} per count of {name} ({tables} {'table' if tables == 1 else 'tables'})"
        for name, deviation, tables in zip(shape.columns, shape.margin_deviations, shape.tables, strict=True)
    )
    return margins if shape.cell_deviation is None else f"{shape.cell_deviation:.3g} per cell, {margins}"


def _is_least(found: ChiSquareTest) -> bool:
    """Whether no smaller p-value can be seen with this many tables."""
    return found.simulated.value * (found.simulations + 1) < _LEAST_SHOWN


def _drawn_p(found: ChiSquareTest) -> str:
    return f"{'<=' if _is_least(found) else '='} {_p_text(found.simulated.value)}"


def _p_text(value: float) -> str:
    return f"{value:.3g}" if value >= _LEAST_P else f"< {_LEAST_P:g}"


def _p_payload(p: PValue) -> dict[str, Any]:
    return {"value": p.value, "kind": p.kind}


def shape_payload(shape: Shape) -> dict[str, Any]:
    return {
        "columns": list(shape.columns),
        "levels": list(shape.levels),
        "n": json_integer(shape.size) if shape.size_is_public else None,
        "least_size": None if shape.size_is_public else json_integer(shape.size),
        "cell_sd": shape.cell_deviation,
        "margin_sds": list(shape.margin_deviations),
        "tables": list(shape.tables),
    }
