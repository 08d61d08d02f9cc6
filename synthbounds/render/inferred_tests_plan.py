"""The plan of a test of independence, as blocks of a document and as JSON."""

from __future__ import annotations

from typing import Any

from bounds.exact import show_rational
from mechanisms.infer.chi_square.answers import PowerPlan
from synthbounds.render.document import Answer, Block, Facts, Table, Title
from synthbounds.render.inferred import interval_payload
from synthbounds.render.inferred_tests import PROOF, noise_text, shape_payload
from synthbounds.render.numbers import json_integer


def chi_square_plan_blocks(found: PowerPlan) -> tuple[Block, ...]:
    """The power, and the size or the effect that would have more."""
    significance, wanted = show_rational(1 - found.level), f"{found.wanted_power:.2g}"
    what = " and ".join(found.shape.columns)
    size = "no number of" if found.size_for_power is None else f"{found.size_for_power:,}"
    least = "none" if found.effect_for_power is None else f"{found.effect_for_power:.3g}"
    hi = "1" if found.expected.hi is None else f"{float(found.expected.hi):.3g}"
    rows = (
        (
            "power",
            f"{found.power_est:.3f}",
            f"of finding Cramér's V = {found.effect:.3g} at significance {significance}",
        ),
        ("n", size, f"records give power {wanted} or more"),
        ("V", least, f"is the smallest effect found with power {wanted} at this n"),
    )
    facts = (
        ("Least", f"power {found.least_power_est:.3f} for such an effect in the direction that the noise hides best"),
        (
            "Interval",
            f"for this effect, if the statistic equals its expectation: {float(found.expected.lo or 0):.3g} to {hi}",
        ),
        ("Margins", "uniform; rare values make the power smaller"),
        ("Noise", f"standard deviations in records: {noise_text(found.shape)}"),
        (
            "Rests on",
            "a noncentral chi-square: the limit of many records; close once cells count more than their noise",
        ),
        ("Spent", "nothing: a plan uses public numbers only"),
        ("Proof", PROOF),
    )
    subtitle = (
        f"A test at significance {significance} on {found.shape.size:,} records finds an effect of "
        f"Cramér's V = {found.effect:.3g} with probability {found.power_est:.2f}; "
        f"without privacy the probability is {found.power_without_privacy:.2f}."
    )
    return (Title(f"Plan: independence of {what}", subtitle), Answer(rows), _routes(found), Facts(facts))


def _routes(found: PowerPlan) -> Table:
    planned = "this table alone" if found.tables == 1 else f"{found.tables} tables, as planned"
    rows = [(planned, f"{found.power_est:.3f}", f"{found.effective_size_est:,.0f}")]
    if found.tables > 1:
        name = f"this table alone (--pairs {':'.join(found.shape.columns)})"
        rows.append((name, f"{found.power_alone_est:.3f}", f"{found.effective_size_alone_est:,.0f}"))
    rows.append(("with the worst noise (not needed)", f"{found.worst_case_power:.3f}", "-"))
    rows.append(("without privacy", f"{found.power_without_privacy:.3f}", f"{found.shape.size:,}"))
    return Table("Power", ("release", "power", "worth, in records"), tuple(rows), right=frozenset({1, 2}))


def chi_square_plan_details(found: PowerPlan) -> dict[str, Any]:
    return {
        **shape_payload(found.shape),
        "test": "independence",
        "about": "population",
        "level": show_rational(found.level),
        "degrees": found.degrees,
        "effect": found.effect,
        "expected": interval_payload(found.expected),
        "power_est": found.power_est,
        "least_power_est": found.least_power_est,
        "power_without_privacy_est": found.power_without_privacy,
        "worst_case_power_est": found.worst_case_power,
        "effective_size_est": found.effective_size_est,
        "tables_planned": found.tables,
        "power_alone_est": found.power_alone_est,
        "effective_size_alone_est": found.effective_size_alone_est,
        "wanted_power": found.wanted_power,
        "n_for_power": json_integer(found.size_for_power),
        "effect_for_power": found.effect_for_power,
        "proof": PROOF,
    }
