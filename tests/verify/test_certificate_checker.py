"""The independent checker: it accepts what we claim, and nothing that was falsified."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import synthbounds as sb
from bounds.approximation.approximation_certificate import certificate, digest, number_text
from synthbounds.api.proofs import check_text
from tests.paths import ROOT
from verify.checkers import Rejected
from verify.checkers.approximation import check, read_number

CASES = [
    ("logistic", "-5,5", 4, "minimax", None),
    ("logistic", "-1,1", 7, "minimax", None),
    ("hinge", "-2,2", 5, "minimax", None),
    ("gamma-phi-gamma:0.1", "-1,1", 6, "minimax", None),
    ("huber", "-3,3", 6, "minimax", None),
    ("max(exp(x)-2,0)", "-1,1", 4, "minimax", None),
    ("sqrt(1+x^2)", "-1/3,2", 5, "chebyshev", None),
    ("logistic", "-5,5", 6, "bernstein", None),
    ("min(x^2,1/(1+x^2))", "-2,2", 5, "interpolation", None),
    ("logistic", "-5,5", 6, "optimal", "0.01"),
    ("hinge", "-2,2", 4, "optimal", "0.1"),
    ("logistic", "-5,5", 6, "optimal", "0"),
]
MUTANTS_PER_CASE = 100


def number(text: str) -> Fraction:
    return read_number(text, "a test")


def _text(case: tuple[str, str, int, str, str | None]) -> str:
    function, interval, degree, method, s = case
    return sb.certificate(sb.approximate(function, interval=interval, degree=degree, method=method, marginal_error=s))


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]}-{c[3]}")
def test_certificates_are_accepted(case: tuple[str, str, int, str, str | None]) -> None:
    check(_text(case))


def test_high_degrees_are_accepted() -> None:
    for degree in (20, 33):
        check(_text(("logistic", "-20,20", degree, "minimax", None)))


def _text_changed(rng: random.Random, c: dict[str, Any]) -> None:
    old, new = rng.choice([("exp(", "log("), ("x", "(x+1/1000)"), ("1", "2"), ("-", "+"), ("max(", "exp("), ("x", "y")])
    places = [i for i in range(len(c["function"])) if c["function"].startswith(old, i)]
    place = rng.choice(places) if places else None
    c["function"] = "x" if place is None else c["function"][:place] + new + c["function"][place + len(old) :]


def _nudged(rng: random.Random, text: str, least: float = 1e-9) -> str:
    value = number(text)
    change = Fraction(10 ** rng.uniform(-9, 0)) * rng.choice([-1, 1])
    change = change if abs(change) > least else Fraction(least)
    return number_text(value * (1 + change) if abs(value) > Fraction(1, 10**20) else change)


def _polynomial(rng: random.Random, c: dict[str, Any]) -> None:
    k = rng.randrange(len(c["polynomial"]))
    c["polynomial"][k] = _nudged(rng, c["polynomial"][k])


def _error_hi(rng: random.Random, c: dict[str, Any]) -> None:
    c["error"]["hi"] = number_text(number(c["error"]["hi"]) * (1 - Fraction(10 ** rng.uniform(-14, 0))))


def _error_lo(rng: random.Random, c: dict[str, Any]) -> None:
    c["error"]["lo"] = number_text(number(c["error"]["lo"]) * (1 + Fraction(10 ** rng.uniform(-14, 0))))


def _interval(rng: random.Random, c: dict[str, Any]) -> None:
    end = rng.randrange(2)
    c["interval"][end] = number_text(
        number(c["interval"][end]) + rng.choice([-1, 1]) * Fraction(1, 2 ** rng.randint(0, 30))
    )


def _attained(rng: random.Random, c: dict[str, Any]) -> None:
    left, right = (number(x) for x in c["interval"])
    c["attained"] = rng.choice(
        [number_text(right + 1), number_text(left + (right - left) * Fraction(rng.randint(1, 999), 1009))]
    )


def _cell_gone(rng: random.Random, c: dict[str, Any]) -> None:
    c["cells"].pop(rng.randrange(len(c["cells"])))


def _cell_moved(rng: random.Random, c: dict[str, Any]) -> None:
    cell = rng.choice(c["cells"])
    i = rng.randrange(2)
    cell[i] = number_text(number(cell[i]) + rng.choice([-1, 1]) * Fraction(1, 2 ** rng.randint(3, 40)))


def _cells_swapped(rng: random.Random, c: dict[str, Any]) -> None:
    i = rng.randrange(len(c["cells"]) - 1)
    c["cells"][i], c["cells"][i + 1] = c["cells"][i + 1], c["cells"][i]


def _centre_outside(rng: random.Random, c: dict[str, Any]) -> None:
    cell = rng.choice(c["cells"])
    cell[2] = number_text(number(cell[1]) + Fraction(1, 2 ** rng.randint(1, 60)))


def _order(rng: random.Random, c: dict[str, Any]) -> None:
    rng.choice(c["cells"])[3] = rng.choice([1, 0, -1, -5, 10**9])


def _coefficient_sum(rng: random.Random, c: dict[str, Any]) -> None:
    end, sign = rng.choice([("lo", 1), ("hi", -1)])
    c["coefficient_sum"][end] = number_text(
        number(c["coefficient_sum"][end]) * (1 + sign * Fraction(10 ** rng.uniform(-12, 0)))
    )


def _degree(rng: random.Random, c: dict[str, Any]) -> None:
    c["degree"] += rng.choice([-1, 1, 2])


def _claim(c: dict[str, Any]) -> dict[str, Any] | None:
    return c.get("minimax") or c.get("objective")


def _claim_lo(rng: random.Random, c: dict[str, Any]) -> None:
    claim = _claim(c) or c["error"]
    claim["lo"] = number_text(number(claim["lo"]) * (1 + Fraction(10 ** rng.uniform(-7, 0))))


def _claim_hi(rng: random.Random, c: dict[str, Any]) -> None:
    claim = _claim(c) or c["error"]
    claim["hi"] = number_text(number(claim["hi"]) * (1 - Fraction(10 ** rng.uniform(-12, 0))))


def _claim_point(rng: random.Random, c: dict[str, Any]) -> None:
    claim = _claim(c)
    if claim is None:
        _polynomial(rng, c)
        return
    points = claim["points"]
    way = rng.randrange(3)
    if way == 0:
        points.pop(rng.randrange(len(points)))
    elif way == 1:
        points[rng.randrange(1, len(points))] = points[0]
    else:
        points[0] = number_text(number(c["interval"][0]) - Fraction(1, 1000))


def _claim_weight(rng: random.Random, c: dict[str, Any]) -> None:
    claim = c.get("objective")
    if claim is None or "weights" not in claim:
        _error_hi(rng, c)
        return
    i = rng.randrange(len(claim["weights"]))
    claim["weights"][i] = rng.choice([_nudged(rng, claim["weights"][i]), "0", "5", "-5"])


def _precision(rng: random.Random, c: dict[str, Any]) -> None:
    c["precision"] = rng.choice([0, -3, 4, 12, 10**6])


MUTATIONS: list[Callable[[random.Random, dict[str, Any]], None]] = [
    _text_changed,
    _polynomial,
    _error_hi,
    _error_lo,
    _interval,
    _attained,
    _cell_gone,
    _cell_moved,
    _cells_swapped,
    _centre_outside,
    _order,
    _coefficient_sum,
    _degree,
    _claim_lo,
    _claim_hi,
    _claim_point,
    _claim_weight,
    _precision,
]


STRUCTURAL = (_text_changed, _degree, _precision, _cell_gone, _claim_point, _order)
"""Mutants that may also be unreadable, not only wrong."""


def test_at_least_a_thousand_mutants() -> None:
    assert MUTANTS_PER_CASE * len(CASES) >= 1000


@pytest.mark.share(3)
@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]}-{c[3]}")
def test_mutated_certificates_are_rejected(case: tuple[str, str, int, str, str | None]) -> None:
    """Every mutant carries a fresh fingerprint, so that only its content can give it away."""
    original = _text(case)
    survived = []
    for number_ in range(MUTANTS_PER_CASE):
        rng = random.Random(f"{case} {number_}")
        mutate = MUTATIONS[number_ % len(MUTATIONS)]
        mutant = json.loads(original)
        del mutant["sha256"]
        before = json.dumps(mutant)
        mutate(rng, mutant)
        assert json.dumps(mutant) != before
        mutant["sha256"] = digest(mutant)
        result = check_text(json.dumps(mutant))
        if result.valid or (result.reason.startswith("malformed") and mutate not in STRUCTURAL):
            survived.append((mutate.__name__, number_, result.reason))
    assert survived == []


def test_damaged_files_are_rejected() -> None:
    """One character changed anywhere, without a fresh fingerprint."""
    original = _text(CASES[0])
    rng = random.Random("damage")
    for _ in range(300):
        place = rng.randrange(len(original))
        damaged = original[:place] + rng.choice('0123456789x/^-"') + original[place + 1 :]
        if damaged == original or json_equal(damaged, original):
            continue
        with pytest.raises(Exception):  # noqa: B017, PT011
            check(damaged)


def json_equal(a: str, b: str) -> bool:
    try:
        return bool(json.loads(a) == json.loads(b))
    except ValueError:
        return False


def test_a_false_claim_cannot_be_certified() -> None:
    """The printed polynomial of zhou2024, Figure 1(a), with its printed error 0.061."""
    honest = json.loads(_text(CASES[0]))
    honest["polynomial"] = ["71/100", "-1/2", "1096/10000", "0", "-15/10000"]
    honest["error"] = {"lo": "0.0609", "hi": "0.0611"}
    honest["coefficient_sum"] = {"lo": "1.3", "hi": "1.4"}
    del honest["minimax"], honest["sha256"]
    honest["sha256"] = digest(honest)
    with pytest.raises(Rejected, match="cell"):
        check(json.dumps(honest))


@pytest.mark.parametrize(
    "function",
    [
        "__import__('os').system('true')",
        "x.real",
        "[x]",
        "lambda: x",
        "x if x else 1",
        "x**x",
        "x**-1",
        "max(x)",
        "sin(x)",
        "1j",
        "x@x",
    ],
)
def test_only_the_grammar_is_read(function: str) -> None:
    body = json.loads(_text(CASES[0]))
    body["function"] = function
    del body["sha256"]
    body["sha256"] = digest(body)
    assert not check_text(json.dumps(body)).valid


def test_certificates_do_not_depend_on_the_run() -> None:
    ask = "sb.approximate('hinge', interval='-2,2', degree=4, method='optimal', marginal_error='0.1')"
    code = f"import synthbounds as sb; print(sb.certificate({ask}))"
    texts = [
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert texts[0] == texts[1]
    assert check_text(texts[0]).valid


def test_cells_get_smaller_until_the_checker_can_close_them() -> None:
    """On [-20, 20] the intervals of the checker are wider than balls: the first certificate is not the last."""
    answer = sb.approximate("logistic", interval="-20,20", degree=33)
    first = json.dumps(certificate(answer))
    assert not check_text(first).valid
    assert len(json.loads(sb.certificate(answer))["cells"]) > len(json.loads(first)["cells"])


FALSE = [
    ("x+max(0,1)", 10, "1"),  # the value at the centre is only known up to the slack of max
    ("exp(0*x)-1+2/16+x", 4, "1"),  # the value at the centre is only known up to rounding
    ("x+max(0*(" + "+".join(["max(0,0)"] * 4) + "),1)", 42, "1"),
]


@pytest.mark.parametrize(("function", "precision", "claimed"), FALSE)
def test_a_value_of_unknown_sign_proves_no_growth(function: str, precision: int, claimed: str) -> None:
    """The largest value exceeds what is claimed; with few bits the sign at the centre is open."""
    body: dict[str, Any] = {
        "certificate": "polynomial approximation",
        "version": 1,
        "function": function,
        "interval": ["0", "1"],
        "degree": 1,
        "method": "minimax",
        "polynomial": ["0", "0"],
        "error": {"lo": "0", "hi": claimed},
        "coefficient_sum": {"lo": "0", "hi": "0"},
        "precision": precision,
        "attained": "1",
        "cells": [["0", "1", "0", 2]],
    }
    body["sha256"] = digest(body)
    with pytest.raises(Rejected, match="cell"):
        check(json.dumps(body))


def test_long_numbers_are_refused_and_not_cut() -> None:
    body = json.loads(_text(CASES[0]))
    body["polynomial"][3] = "1/2^200000"
    del body["sha256"]
    body["sha256"] = digest(body)
    assert "too long" in check_text(json.dumps(body)).reason


@pytest.mark.parametrize(
    "change",
    [
        {"precision": 20_000},
        {"degree": 1500, "polynomial": ["1"] * 1501},
        {"interval": ["0", "1e99999"]},
        {"attained": "1/2^100000"},
        {"cells": [["-5", "5", "0", 1000]]},
        {"function": "((((x^64)^64)^64)^64)^64"},
    ],
)
def test_what_would_take_long_is_refused_at_once(change: dict[str, Any]) -> None:
    body = json.loads(_text(CASES[0])) | change
    del body["sha256"]
    body["sha256"] = digest(body)
    assert not check_text(json.dumps(body)).valid


def test_deeply_nested_switches_are_refused_at_once() -> None:
    body = json.loads(_text(CASES[0]))
    body["function"] = "max(x," * 30 + "0" + ")" * 30
    del body["sha256"]
    body["sha256"] = digest(body)
    assert "too many max" in check_text(json.dumps(body)).reason


def test_a_function_that_is_a_polynomial_has_a_certificate() -> None:
    for name, interval in (
        ("hinge", "-1,1"),
        ("hinge", "1,2"),
        ("x^2/3", "-1,2"),
        ("phi-gamma:1/7", "-4,-20/9"),
        ("(x-x)-(1+x)", "39/7,152/21"),
    ):
        check(_text((name, interval, 2, "minimax", None)))


def test_a_slope_of_unknown_sign_proves_no_growth() -> None:
    """f = x and P = -1 + 0.51x with one binary digit: the slope is 0 or a half, and |f - P| reaches 1.98."""
    claim: dict[str, Any] = {
        "certificate": "polynomial approximation",
        "version": 1,
        "function": "x",
        "interval": ["0", "2"],
        "degree": 1,
        "method": "minimax",
        "polynomial": ["-1", "0.51"],
        "error": {"lo": "0", "hi": "1"},
        "coefficient_sum": {"lo": "1.51", "hi": "1.51"},
        "precision": 1,
        "attained": "0",
        "cells": [["0", "2", "0", 2]],
    }
    claim["sha256"] = digest(claim)
    with pytest.raises(Rejected, match="cell"):
        check(json.dumps(claim))
