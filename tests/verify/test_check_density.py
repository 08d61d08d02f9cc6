"""The independent checker of densities: it accepts what we prove, and nothing whose bounds are wrong."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bounds.errors import NotApplicable
from lp.programme.density_certificate import certify, to_json
from lp.programme.matrices import QueryMatrix, build_matrix, full_matrix
from lp.programme.vertex import exact_vertex
from lp.study.reference import highs_model
from release.data.domain import Domain
from release.statistics.custom_family import CustomFamily
from release.statistics.families import build_family
from tests.paths import ROOT
from verify.checkers import Rejected
from verify.checkers.density import PROBLEM, PROOF, check, number_of_queries

CASES = [
    ("monomials", (2, 2, 2, 2), 2, True),
    ("monomials", (4, 3, 5), 2, False),
    ("parities", (2, 2, 2, 2), 3, True),
    ("cells", (2, 3, 2), 2, False),
    ("moments", (3, 5, 2), 3, True),
    ("thresholds", (3, 4, 2), 2, False),
]
MUTANTS = 150
"""For each case, and for each of its two proofs."""


@dataclass(frozen=True)
class Guess:
    numbers: NDArray[np.int64]
    weights: NDArray[np.float64]
    dual: NDArray[np.float64]


def instance(case: tuple[str, tuple[int, ...], int, bool]) -> tuple[QueryMatrix, list[Fraction], Guess]:
    name, sizes, degree, full = case
    draws = np.random.Generator(np.random.Philox(len(sizes) + degree))
    family = build_family(name, Domain(sizes), degree)
    matrix = full_matrix(family)
    if not full:
        kept = np.flatnonzero(draws.random(matrix.columns) < 0.6)
        matrix = build_matrix(family, matrix.points_at(kept))
    target = [Fraction(round(float(v) * 1000), 1000) for v in draws.random(matrix.rows)]
    every = np.arange(matrix.columns)
    best = highs_model(matrix.columns_at(every) / family.denominator, np.array([float(b) for b in target]))
    return matrix, target, Guess(every, best.density, best.dual_est)


def texts(case: tuple[str, tuple[int, ...], int, bool]) -> list[str]:
    """The proof by rounded floats and the exact one."""
    matrix, target, guess = instance(case)
    proofs = certify(matrix, target, guess), exact_vertex(matrix, target, guess)
    return [to_json(matrix, target, proof) for proof in proofs]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0])
def test_both_proofs_are_accepted_with_the_same_bounds(case: tuple[str, tuple[int, ...], int, bool]) -> None:
    matrix, target, guess = instance(case)
    for proof in (certify(matrix, target, guess), exact_vertex(matrix, target, guess)):
        assert check(to_json(matrix, target, proof)) == (proof.lower, proof.upper)
        assert proof.upper - proof.lower <= Fraction(1, 10**9)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0])
def test_the_checker_knows_the_same_families(case: tuple[str, tuple[int, ...], int, bool]) -> None:
    name, sizes, degree, _ = case
    found = {tuple(map(tuple, q)) for q in json.loads(texts(case)[0])["queries"]}
    assert len(found) == build_family(name, Domain(sizes), degree).count
    assert number_of_queries(name, sizes, degree, 10**9) == len(found)
    assert number_of_queries(name, sizes, degree + 1, 10**9) == build_family(name, Domain(sizes), degree + 1).count


def optimum(c: dict[str, Any]) -> float:
    """What HiGHS makes of the programme in a certificate, with the queries evaluated once more."""
    domain = Domain(tuple(c["sizes"]))
    family = build_family(c["family"], domain, c["degree"])
    rows = {tuple(_factors(family, row)): i for i, row in enumerate(family.rows)}
    points = domain.points(np.arange(domain.size)) if c["points"] == "full" else np.array(c["points"])
    values = family.values(points.astype(domain.code_type)) / family.denominator
    order = [rows[tuple((p[0], p[1]) for p in q)] for q in c["queries"]]
    return highs_model(values[order], np.array([float(Fraction(t)) for t in c["targets"]])).value_est


def _factors(family: Any, row: tuple[int, ...]) -> list[tuple[int, int]]:
    by_level = family.name in ("cells", "thresholds")
    features = [family.features[a] for a in row]
    return [(f.attribute, f.table.index(1) if by_level else f.degree) for f in features]


def mutated(c: dict[str, Any], draws: random.Random) -> dict[str, Any]:
    """One field changed: another number, an entry more or less, two entries swapped, another kind of value."""
    c = copy.deepcopy(c)
    field = draws.choice([*PROBLEM, *PROOF])
    kind = draws.random()
    if kind < 0.08:
        del c[field]
    elif kind < 0.16:
        c[field] = draws.choice([None, True, 1.5, "x", [], {}, -1, "1/0", [[]], "nan", 10**9])
    else:
        c[field] = _other(c[field], draws)
    return c


def _other(value: Any, draws: random.Random) -> Any:
    if isinstance(value, list) and value:
        value, i = list(value), draws.randrange(len(value))
        what = draws.random()
        if what < 0.2:
            del value[i]
        elif what < 0.35:
            value.insert(i, copy.deepcopy(draws.choice(value)))
        elif what < 0.5:
            j = draws.randrange(len(value))
            value[i], value[j] = value[j], value[i]
        else:
            value[i] = _other(value[i], draws)
        return value
    if isinstance(value, int):
        return value + draws.choice([-3, -1, 1, 2])
    if isinstance(value, str) and set(value) <= set("0123456789-/"):
        number = Fraction(value)
        step = draws.choice([Fraction(1), Fraction(1, 10**6), abs(number) / 3, Fraction(1, 10**15), -2 * number])
        changed = number + draws.choice([-1, 1]) * step
        return str(int(changed)) if "/" not in value and draws.random() < 0.8 else str(changed)
    if isinstance(value, str):
        return draws.choice(["full", "monomials", "moments", "cells", "parities", "thresholds", "density"])
    return value


@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0])
def test_a_mutant_is_rejected_or_its_bounds_hold(case: tuple[str, tuple[int, ...], int, bool]) -> None:
    draws = random.Random(str(case))
    rejected = changed = 0
    for text in texts(case):
        original = json.loads(text)
        for _ in range(MUTANTS):
            mutant = mutated(original, draws)
            changed += mutant != original
            try:
                check(json.dumps(mutant))
            except Exception:
                rejected += 1
                continue
            value = optimum(mutant)
            assert float(Fraction(mutant["lower"])) <= value + 1e-9
            assert float(Fraction(mutant["upper"])) >= value - 1e-9
    assert changed > MUTANTS
    assert MUTANTS // 2 < rejected <= changed


def test_false_claims_are_rejected_with_the_reason() -> None:
    text = texts(CASES[0])[1]
    c = json.loads(text)
    tight = Fraction(c["upper"])
    assert tight == Fraction(c["lower"]) > 0
    tiny = Fraction(1, 10**30)
    for change, reason in (
        ({"lower": str(tight + tiny)}, "lower bound is not proved"),
        ({"upper": str(tight - tiny)}, "upper bound is not proved"),
        ({"weights": ["-1", *c["weights"][1:]]}, "positive weight"),
        ({"support": [c["support"][0], *c["support"][:-1]]}, "listed twice"),
        ({"support": [[0, 0, 0, 9], *c["support"][1:]]}, "a code: is not between 0 and 1"),
        ({"queries": c["queries"][:-1], "targets": c["targets"][:-1], "dual": c["dual"][:-1]}, "those of the family"),
        ({"degree": 3}, "those of the family"),
        ({"points": [[0, 0, 0, 0], [1, 1, 1, 1]]}, "not a reference point"),
        ({"sizes": [2**12] * 4}, "too large"),
        ({"sizes": [2, 2, 2, 3], "family": "parities"}, "Boolean"),
        ({"version": True}, "version: is not a whole number"),
    ):
        with pytest.raises(Rejected, match=reason):
            check(json.dumps({**c, **change}))
    weaker = {**c, "lower": str(tight - tiny), "upper": str(tight + 1)}
    assert check(json.dumps(weaker)) == (tight, tight)


def test_the_command_says_accepted_or_rejected(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(texts(CASES[3])[0], encoding="utf-8")
    bad.write_text(good.read_text(encoding="utf-8").replace('"version": 1', '"version": 2'), encoding="utf-8")
    run = [sys.executable, "-m", "verify.checkers.density"]
    accepted = subprocess.run([*run, str(good)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert accepted.returncode == 0
    assert accepted.stdout.startswith("accepted: the optimum lies between")
    refused = subprocess.run([*run, str(bad)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert refused.stderr == "rejected: version: is not between 1 and 1\n"


def test_functions_of_the_user_have_no_json() -> None:
    family = CustomFamily(Domain((2,)), [("f", lambda codes: codes[:, 0])], denominator=1, ranges=[(0, 1)])
    matrix = full_matrix(family)
    found = certify(matrix, [Fraction(1, 2)], Guess(np.array([0]), np.ones(1), np.ones(1)))
    with pytest.raises(NotApplicable, match="custom"):
        to_json(matrix, [Fraction(1, 2)], found)
