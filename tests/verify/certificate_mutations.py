"""Certificates changed in one place, by a counter: the same number means the same change in every run.

Fingerprints and sentences are rewritten, so that only the content can give a change away.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bounds.approximation.approximation_certificate import digest, number_text
from tests.paths import ROOT
from tests.verify.certificate_truth import fraction
from verify.checkers import score_words
from verify.checkers.model import statement

FOLDER = ROOT / "tests" / "verify" / "certificates"
KINDS = ("approximation", "density", "model", "scores")
QUICK = {
    "approximation": (
        "logistic_minimax logistic_narrow hinge_minimax gamma_phi_gamma huber exp_kink sqrt_chebyshev "
        "logistic_bernstein min_interpolation logistic_optimal hinge_optimal logistic_optimal_exact bell"
    ).split(),
    "model": (
        "squared squared hinge hinge by_a_value degree_4 degree_2 near private_size_ridge degree_4_by_a_value free "
        "half half_free half_private_ridge"
    ).split(),
}
"""Those that are checked in a fraction of a second; some twice, as they are quickest."""
CLAIMS = {
    "approximation": ("error", "coefficient_sum", "minimax", "objective", "polynomial", "degree", "interval"),
    "density": ("lower", "upper", "targets", "dual", "weights"),
    "model": "bound beta tau ridge radii failures excess absolute near reach balls half".split(),
    "scores": ("claims", "claims", "claims", "failures", "beta", "size", "mu_squared", "questions", "floors", "choice"),
}
EXCHANGED = (
    "logistic hinge squared log zero-one brier replace-one add-remove linear one-hot none excess floors loss auc "
    "calibration label-counts model-loss least-loss excess-over predicted-loss area-under-curve public table"
).split()
NULLABLE = ("tau", "ridge", "near", "intercept", "clip", "floor")
"""Numbers in whose place null means something else."""
Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Mutant:
    name: str
    text: str
    malformed: bool
    """No reader may accept it: a key twice, a rest, or a wrong type."""


def stored(kind: str) -> list[str]:
    return sorted(path.stem for path in FOLDER.glob(f"{kind}_*.json"))


def read(name: str) -> dict[str, Any]:
    body: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return body


def mutant(kind: str, number: int) -> Mutant:
    """The certificate of that kind and number."""
    draws = random.Random(f"{kind} {number}")
    names = [f"{kind}_{name}" for name in QUICK[kind]] if kind in QUICK else stored(kind)
    name = draws.choice(names)
    body = read(name)
    changes: list[Callable[[dict[str, Any], random.Random, str], Any]]
    changes = [_number, _number, _number, _claim, _claim, _claim, _entry, _entry, _transplant]
    if kind == "scores":
        changes += [_exchange, _exchange]
    if number % 4:
        draws.choice(changes)(body, draws, kind)
        return Mutant(f"{name} {number}", json.dumps(renewed(body)), malformed=False)
    text = draws.choice([_wrong_type, _wrong_type, _rest, _twice])(body, draws, kind)
    return Mutant(f"{name} {number}", text if isinstance(text, str) else json.dumps(renewed(body)), malformed=True)


def renewed(body: dict[str, Any]) -> dict[str, Any]:
    """With the fingerprint or the sentence that the other fields ask for."""
    if "sha256" in body:
        body["sha256"] = digest({key: value for key, value in body.items() if key != "sha256"})
    if "statement" in body:
        try:
            body["statement"] = (score_words.statement if body["certificate"] == "scores" else statement)(body)
        except (KeyError, TypeError, ValueError, AttributeError):
            body["statement"] = ""
    return body


def damaged(text: str) -> list[str]:
    """Without a new fingerprint or sentence, which must be noticed."""
    body = json.loads(text)
    if "sha256" in body:
        return [json.dumps(body | {"method": "another"})]
    if "statement" in body:
        first = body["statement"].find(".") + 1  # a digit of the first number more
        return [json.dumps(body | {"statement": body["statement"][:first] + "0" + body["statement"][first:]})]
    return []


def leaves(value: Any, path: Path = ()) -> list[Path]:
    """The places of everything that is neither a list nor an object."""
    if isinstance(value, dict):
        return [place for key, part in value.items() if key != "sha256" for place in leaves(part, (*path, key))]
    if isinstance(value, list):
        return [place for i, part in enumerate(value) for place in leaves(part, (*path, i))]
    return [path]


def containers(value: Any, kind: type, path: Path = ()) -> list[Path]:
    found = [path] if isinstance(value, kind) else []
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        found += containers(part, kind, (*path, key))
    return found


def at(body: Any, path: Path) -> Any:
    for key in path:
        body = body[key]
    return body


def put(body: Any, path: Path, value: Any) -> None:
    at(body, path[:-1])[path[-1]] = value


def is_number(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        fraction(value)
    except (ValueError, ZeroDivisionError):
        return False
    return True


def _changed(value: Any, draws: random.Random) -> Any:
    """Another number of the same type."""
    if isinstance(value, int):
        return draws.choice([value + 1, value - 1, 2 * value, 0, -value, value + 7])
    if not is_number(value):
        return draws.choice(["full", "cells", "x", "max(0,1-x)", "free", "add-remove", value + " "])
    number = fraction(value)
    step = Fraction(10 ** draws.uniform(-13, 0)).limit_denominator(10**15)
    other = [number * (1 + step), number * (1 - step), number + step, number - step, -number, number / 2, Fraction(0)]
    found = draws.choice(other)
    return str(round(found)) if "/" not in value and "." not in value and draws.random() < 0.7 else number_text(found)


def _number(body: dict[str, Any], draws: random.Random, kind: str) -> None:
    field = draws.choice([key for key in body if key not in ("sha256", "statement", "certificate")])
    places = leaves(body[field], (field,))
    if places:
        place = draws.choice(places)
        value = at(body, place)
        put(body, place, "1/2" if value is None else _changed(value, draws))


def _claim(body: dict[str, Any], draws: random.Random, kind: str) -> None:
    """A number that is claimed, or that a claim hangs on, by little."""
    field = draws.choice([key for key in CLAIMS[kind] if body.get(key) is not None])
    place = draws.choice([place for place in leaves(body[field], (field,)) if at(body, place) is not None])
    value = at(body, place)
    if field == "claims" and is_number(value) and draws.random() < 0.5:  # by one in the last digit
        places = len(value.partition(".")[2])
        put(body, place, number_text(Fraction(value) + Fraction(draws.choice([-1, 1]), 10**places)))
    elif is_number(value):
        step = Fraction(10 ** draws.uniform(-12, -1)).limit_denominator(10**15)
        found = fraction(value) * (1 + draws.choice([-1, 1]) * step)
        put(body, place, str(round(found)) if field in ("dual", "weights") else number_text(found))
    else:
        put(body, place, _changed(value, draws))


def _entry(body: dict[str, Any], draws: random.Random, kind: str) -> None:
    """An entry of a list more, less, or in the place of another."""
    listed = at(body, draws.choice([place for place in containers(body, list) if at(body, place)]))
    i, j = draws.randrange(len(listed)), draws.randrange(len(listed))
    way = draws.randrange(4)
    if way == 0:
        del listed[i]
    elif way == 1:
        listed.insert(i, copy.deepcopy(listed[j]))
    elif way == 2:
        listed[i] = copy.deepcopy(listed[j])
    else:
        listed[i], listed[j] = listed[j], listed[i]


def _exchange(body: dict[str, Any], draws: random.Random, kind: str) -> None:
    """Another loss, class, adjacency, event or kind of question; or the numbers of another event, claim or question."""
    words = [place for place in leaves(body) if at(body, place) in EXCHANGED and place[-1] != "certificate"]
    objects = [place for place in containers(body, dict) if len(at(body, place)) > 1]
    if draws.random() < 0.6:
        put(body, draws.choice(words), draws.choice(EXCHANGED))
        return
    chosen = at(body, draws.choice(objects))
    one, other = draws.sample(list(chosen), 2)
    chosen[one], chosen[other] = chosen[other], chosen[one]


def _transplant(body: dict[str, Any], draws: random.Random, kind: str) -> None:
    """One or two fields of another certificate."""
    other = read(draws.choice(stored(kind)))
    for _ in range(draws.choice([1, 1, 2])):
        field = draws.choice([key for key in other if key not in ("sha256", "certificate")])
        body[field] = other[field]


def _wrong_type(body: dict[str, Any], draws: random.Random, kind: str) -> None:
    """The same value as another type."""
    place = draws.choice(
        [p for p in leaves(body) if at(body, p) is not None and p[0] not in ("certificate", "statement")]
    )
    value = at(body, place)
    if isinstance(value, bool):
        put(body, place, draws.choice([int(value), str(value), [value], None, {}]))
    elif isinstance(value, int):
        put(body, place, draws.choice([str(value), float(value), bool(value), [value], None, {}]))
    elif is_number(value):
        put(
            body,
            place,
            draws.choice([float(fraction(value)), int(fraction(value)), [value], None, True, {"lo": value}]),
        )
        if place[-1] in NULLABLE and at(body, place) is None:
            put(body, place, 0)
    else:
        put(body, place, draws.choice([1, True, [value], {value: value}, 0.5]))


def _rest(body: dict[str, Any], draws: random.Random, kind: str) -> None:
    """A key or an entry that nobody asks for."""
    if draws.random() < 0.5:
        chosen = at(body, draws.choice(containers(body, dict)))
        chosen[draws.choice(["Upper", "comment", "", "hi2", "error ", "notes"])] = draws.choice(["1", 0, None, [], {}])
        return
    fixed = {
        "approximation": lambda: [body["interval"], draws.choice(body["cells"]), body["polynomial"]],
        "density": lambda: [draws.choice(draws.choice(body["queries"])), draws.choice(body["support"]), body["dual"]],
        "scores": lambda: [draws.choice(body["questions"])["answer"]],
        "model": lambda: [body["first"], body["noise"], body["radii"], draws.choice(body["second"]), body["balls"]],
    }
    listed = draws.choice(fixed[kind]())
    listed.append(copy.deepcopy(listed[-1]))


def _twice(body: dict[str, Any], draws: random.Random, kind: str) -> str:
    """A key that stands twice in one object, with the same or another value; the last one is the old one."""
    place = draws.choice(containers(body, dict))
    chosen = at(body, place)
    key = draws.choice(list(chosen))
    whole = json.dumps(renewed(body))
    old = json.dumps(chosen)
    first = draws.choice([json.dumps(chosen[key]), '"1/1000000"', "0", "null"])
    return whole.replace(old, f"{{{json.dumps(key)}: {first}, {old[1:]}", 1)
