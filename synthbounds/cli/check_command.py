"""The command that re-proves a certificate: options, verdict and document. It uses nothing but the checkers."""

from __future__ import annotations

import argparse
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from synthbounds.api.proofs import check
from synthbounds.cli.outcome import Outcome, call, inputs_of

if TYPE_CHECKING:
    from synthbounds.api.proofs import CheckResult
    from synthbounds.render.document import Document

_DIGITS = 15


def run(options: argparse.Namespace) -> Outcome:
    result = call(check, options)
    return Outcome(
        lambda: check_document(result),
        lambda: check_payload(result),
        exit_code=0 if result.valid else 1,
        inputs=inputs_of(options, files=True),
        uses_ledger=False,
    )


def check_document(result: CheckResult) -> Document:
    from synthbounds.render.document import Facts, Title

    if not result.valid:
        return (Title("Certificate rejected", result.name), Facts((("Reason", result.reason),)))
    kinds = {"density": _density_facts, "model": _said_facts, "scores": _said_facts}
    facts = kinds.get(result.claims["certificate"], _approximation_facts)(result)
    return (Title("Certificate valid", result.name), Facts(tuple(facts)))


def _approximation_facts(result: CheckResult) -> list[tuple[str, str]]:
    claims = result.claims
    error = claims["error"]
    facts = [
        ("Function", str(claims["function"])),
        ("Interval", ", ".join(claims["interval"])),
        ("Proved", f"{error['lo']} <= max |f - P| <= {error['hi']} for the polynomial in the file"),
    ]
    if "minimax" in claims:
        least = claims["minimax"]["lo"]
        facts.append(("Proved", f"every polynomial of degree {claims['degree']} has error >= {least}"))
    if "objective" in claims:
        facts.append(("Proved", f"least value between {claims['objective']['lo']} and {claims['objective']['hi']}"))
    return facts


def _density_facts(result: CheckResult) -> list[tuple[str, str]]:
    claims = result.claims
    points = "every point of the domain" if claims["points"] == "full" else f"{len(claims['points']):,} points"
    lower, upper = (_decimal(claims[key], up=key == "upper") for key in ("lower", "upper"))
    return [
        ("Programme", f"{len(claims['queries']):,} queries ({claims['family']}) on {points}"),
        ("Proved", f"{lower} <= least distance of a density to the targets in the file <= {upper}"),
    ]


def _said_facts(result: CheckResult) -> list[tuple[str, str]]:
    return [
        ("Proved", str(result.claims["statement"])),
        *(("Recomputed", line) for line in result.recomputed),
        *(("Taken as given", line) for line in result.given),
    ]


def _decimal(text: str, *, up: bool) -> str:
    """A fraction as a decimal, rounded to the side that keeps the claim true."""
    value = Fraction(text)
    context = Context(prec=_DIGITS, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return str(context.divide(Decimal(value.numerator), Decimal(value.denominator))).lower()


def check_payload(result: CheckResult) -> dict[str, Any]:
    approximation = ("function", "interval", "degree", "method", "error", "coefficient_sum", "minimax", "objective")
    of_models = ("statement", "bound", "beta", "tau", "ridge", "intercept", "ask", "claims")
    keys = (*approximation, "family", "lower", "upper", *of_models)
    return {
        "valid": result.valid,
        "reason": result.reason,
        "recomputed": list(result.recomputed),
        "given": list(result.given),
        "claims": {k: _claim(result.claims[k]) for k in keys if k in result.claims} if result.valid else None,
    }


def _claim(value: Any) -> Any:
    """A claim without the points and weights that prove it."""
    return {"lo": value["lo"], "hi": value["hi"]} if isinstance(value, dict) and "lo" in value else value
