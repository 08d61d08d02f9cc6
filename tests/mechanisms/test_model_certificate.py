"""Certificates of models as files: accepted when they are right, rejected when a claim in them is made stronger."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from flint import arb, fmpq

from bounds.approximation.approximation_certificate import number_text
from bounds.certify import excess
from bounds.certify.contraction import contraction_witness
from bounds.certify.excess import Certified
from bounds.certify.goe import eigenvalues_above
from bounds.certify.model_certificate import _contraction, exact_text, model_certificate
from bounds.certify.problem import Group, Problem
from bounds.certify.routes import BEST, FENCHEL_YOUNG, LOCAL, Route
from bounds.enclosure import Enclosure
from bounds.errors import NotApplicable
from mechanisms.models.certify.evidence import certificate_json, evidence
from mechanisms.models.certify.from_moments import ModelCertificate, certify_model, class_for
from mechanisms.models.splits import splits
from mechanisms.models.train.from_release import train_from_release
from release.moments.make import make_release
from synthbounds.api.proofs import check_text
from synthbounds.certificates import checked_model
from synthbounds.cli import main
from tests.moment_examples import SCHEMA, feature_map, table
from verify.checkers import Rejected, domination
from verify.checkers import model as model_checker
from verify.checkers.model import check
from verify.checkers.model_file import FIELDS as CHECKED_FIELDS
from verify.checkers.model_file import fraction
from verify.checkers.tails import matrix_tail

N = 8_000
CASES: dict[str, dict[str, Any]] = {
    "degree 2": {"tau": 2, "route": BEST},
    "by a column": {"tau": 2},
    "by four values": {"tau": 2, "by": "size"},
    "by a value": {"tau": 5, "one_hot": True, "by": "town=west"},
    "degree 4": {"tau": 3, "fourth": True, "by": None},
    "degree 4 by a column": {"tau": 3, "fourth": True},
    "degree 4 by a value": {"tau": 3, "fourth": True, "one_hot": True, "by": "town=north"},
    "ridge": {"ridge": "0.05"},
    "near": {"ridge": "0.01", "route": LOCAL},
    "free": {"tau": 2, "intercept": "free"},
    "free ridge": {"ridge": "0.02", "intercept": "free"},
    "hinge": {"tau": 2, "loss": "hinge"},
    "squared": {"tau": 2, "loss": "squared"},
    "private size": {"tau": 2, "adjacency": "add-remove"},
    "private size, ridge": {"ridge": "0.01", "adjacency": "add-remove", "n0": N // 2},
}
"""How models are trained and certified; `route` or the feature `by` which records are told apart, if not the best."""
BEST_ROUTES = [name for name, asked in CASES.items() if not asked.keys() & {"route", "by"}]
BY_GROUPS = ["by a column", "by four values", "by a value", "degree 4 by a column", "degree 4 by a value"]
FIELDS = """certificate version note statement bound beta loss tau ridge intercept near reach balls model coefficients
feature_map squared_norm bits blocks release adjacency size first second fourth noise failures radii contraction feature
constant label forms excess absolute label_scale ball_multipliers""".split()
GIVEN = {"first", "second", "size", "bits", "release", "model", "feature_map", "note"}
"""What a checker cannot know; it says that it takes these as given."""


def certified(name: str) -> ModelCertificate:
    asked = {key: value for key, value in CASES[name].items() if key not in ("route", "by")}
    return trained(tuple(sorted(asked.items())))


@cache
def trained(settings: tuple[tuple[str, Any], ...]) -> ModelCertificate:
    asked = dict(settings)
    features = feature_map(one_hot=asked.pop("one_hot", False))
    adjacency, fourth = asked.pop("adjacency", "replace-one"), asked.pop("fourth", False)
    least = asked.pop("n0", N // 2) if adjacency == "add-remove" else None
    release = make_release(
        table(N),
        features,
        epsilon=1,
        dp_delta=Fraction(1, N * N),
        adjacency=adjacency,
        mode="simulate",
        n0=least,
        fourth=fourth,
        seed=5,
    )
    model = train_from_release(release, points=2000, **asked).model
    return certify_model(release, model, class_for(model))


@cache
def proof(name: str) -> Certified:
    """The bound of a case's route."""
    found, asked = certified(name), CASES[name]
    routes = [r for r in found.routes if r.found is not None and asked.get("route", r.name) == r.name]
    best = min(routes, key=lambda r: r.value or 0).found
    assert best is not None
    if "by" not in asked:
        return best
    return excess.certified(told_apart(best, found, asked["by"]))


def told_apart(best: Certified, found: ModelCertificate, feature: str | None) -> Problem:
    """The question of a bound, with the groups of another feature or none."""
    if feature is None:
        return replace(best.problem, direction=None, groups=())
    chosen = next(s for s in splits(found.release.feature_map, found.model.coefficients) if s.name == feature)
    return replace(best.problem, direction=chosen.direction, groups=chosen.groups)


def claims(name: str, forged: Certified | None = None) -> dict[str, Any]:
    found = certified(name)
    body = model_certificate(forged or proof(name), found.compared_with, evidence(found))
    read: dict[str, Any] = json.loads(json.dumps(body))
    return read


def accepted(body: dict[str, Any]) -> bool:
    return check_text(json.dumps(body)).valid


@pytest.mark.share(3)
@pytest.mark.parametrize("name", BEST_ROUTES)
def test_real_certificates_are_accepted(name: str) -> None:
    found = certified(name)
    text = checked_model(found)
    result = check_text(text, "file")
    assert result.valid
    assert found.bound <= Fraction(json.loads(text)["bound"]) <= found.bound * (1 + Fraction(1, 10**10))
    assert json.loads(text)["statement"].endswith(f"by more than {json.loads(text)['bound']}.")
    assert len(result.given) == 5  # the note says that the noise is simulated
    assert ("fourth moments" in result.given[3]) == (found.degree == 4)
    assert found.release.digest in result.given[0]
    assert any("NOT A RELEASE" in line for line in result.given)


def test_a_tiny_bound_is_written_so_that_it_can_be_read() -> None:
    found, value = proof("degree 2"), Fraction(123456789, 10**16)
    body = claims("degree 2", replace(found, bound=replace(found.bound, value=Enclosure(value, value))))
    assert body["bound"] == "0.0000000123456789"
    assert body["statement"].endswith("by more than 0.0000000123456789.")
    assert fraction(body["bound"], "bound") == fmpq(123456789, 10**16)


def test_a_radius_without_a_witness_is_refused_and_not_written() -> None:
    """With few features and a tiny beta a radius that needs no witness is smaller than the one that is checked."""
    assert contraction_witness(2, Fraction(1, 10**12)) == (0, 0, 0)
    with pytest.raises(NotApplicable, match="no proof of the radius"):
        _contraction(2, Fraction(1, 10**12))


@pytest.mark.share(3)
@pytest.mark.parametrize("name", [name for name in CASES if name not in BEST_ROUTES])
def test_certificates_of_other_routes_are_accepted(name: str) -> None:
    assert accepted(claims(name))


@pytest.mark.slow
def test_the_cases_are_what_they_are_called() -> None:
    for name in CASES:
        assert (len(claims(name)["forms"]) == 2) == name.startswith("degree 4")
    features = {name: certified(name).release.feature_map.names for name in BY_GROUPS}
    told = {name: names[claims(name)["feature"]] for name, names in features.items()}
    assert told == {
        "by a column": "owns",
        "by four values": "size",
        "by a value": "town=west",
        "degree 4 by a column": "owns",
        "degree 4 by a value": "town=north",
    }
    assert [len(proof(name).problem.groups) for name in BY_GROUPS] == [2, 4, 2, 2, 2]
    assert claims("degree 2")["feature"] is claims("degree 4")["feature"] is None
    assert claims("near")["near"] is not None
    assert claims("ridge")["ridge"] == "0.05"
    assert claims("ridge")["near"] is None
    assert len(claims("free")["balls"]) == 2
    assert claims("squared")["excess"] == "0"
    assert claims("private size")["adjacency"] == "add-remove"


def scaled(factor: str, *path: int) -> Callable[[Any], Any]:
    """Change the number at a place by a factor."""

    def change(value: Any) -> Any:
        if path:
            changed = list(value)
            changed[path[0]] = scaled(factor, *path[1:])(value[path[0]])
            return changed
        top, _, power = value.partition("/2^")
        return exact_text(Fraction(top) / 2 ** int(power or 0) * Fraction(factor))

    return change


A_BIT_LESS, A_BIT_MORE = "0.999999", "1.000001"
STRONGER: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("degree 2", "bound", scaled(A_BIT_LESS)),
    ("degree 4", "bound", scaled(A_BIT_LESS)),
    ("near", "bound", scaled(A_BIT_LESS)),
    ("free", "bound", scaled(A_BIT_LESS)),
    ("hinge", "bound", scaled(A_BIT_LESS)),
    ("squared", "bound", scaled(A_BIT_LESS)),
    ("private size", "bound", scaled(A_BIT_LESS)),
    ("private size, ridge", "bound", scaled(A_BIT_LESS)),
    ("degree 2", "bound", lambda _: "-1"),
    ("degree 2", "beta", scaled(A_BIT_LESS)),
    ("degree 2", "beta", lambda _: "1"),
    ("degree 2", "tau", scaled(A_BIT_MORE)),
    ("free", "tau", scaled(A_BIT_MORE)),
    ("degree 2", "tau", lambda _: None),
    ("degree 2", "tau", lambda _: "-2"),
    ("ridge", "ridge", scaled(A_BIT_LESS)),
    ("degree 2", "ridge", lambda _: "0"),
    ("near", "ridge", scaled("0.5")),
    ("degree 2", "intercept", lambda _: "free"),
    ("free", "intercept", lambda _: "inside"),
    ("near", "near", scaled("0.1")),
    ("near", "near", scaled(A_BIT_MORE)),
    ("near", "near", lambda _: None),
    ("degree 2", "near", lambda _: "1"),
    ("degree 2", "reach", scaled(A_BIT_LESS)),
    ("free", "reach", scaled(A_BIT_LESS)),
    ("near", "reach", scaled(A_BIT_LESS)),
    ("degree 2", "balls", scaled(A_BIT_LESS, 0)),
    ("free", "balls", scaled(A_BIT_LESS, 0)),
    ("free", "balls", scaled(A_BIT_LESS, 1)),
    ("near", "balls", scaled(A_BIT_LESS, 0)),
    ("degree 2", "coefficients", scaled("2", 0)),
    ("degree 2", "coefficients", scaled("2", -1)),
    ("degree 2", "squared_norm", lambda n: n + 1),
    ("degree 2", "squared_norm", lambda n: n - 1),
    ("degree 2", "blocks", lambda blocks: [[[x + 1 for x in row] for row in block] for block in blocks]),
    ("degree 2", "blocks", lambda blocks: [*blocks, blocks[0]]),
    ("degree 2", "blocks", lambda blocks: blocks[1:]),
    ("degree 2", "adjacency", lambda _: "add-remove"),
    ("degree 4", "fourth", lambda sums: [str(2 * int(x)) for x in sums]),
    ("degree 4", "fourth", lambda sums: sums[1:]),
    ("degree 4", "fourth", lambda _: None),
    *(("degree 2", "noise", scaled(A_BIT_MORE, i)) for i in range(3)),
    *(("degree 4", "noise", scaled("1.001", i)) for i in range(8)),
    ("degree 2", "noise", scaled("-1", 0)),
    *(("degree 2", "failures", scaled(f, i)) for i in range(2) for f in (A_BIT_LESS, A_BIT_MORE, "-1")),
    *(("degree 4", "failures", scaled(f, 2)) for f in ("0.9999", A_BIT_MORE)),
    *(("degree 2", "radii", scaled(f, i)) for i in range(2) for f in (A_BIT_LESS, "0", "-1")),
    *(("degree 4", "radii", scaled("0.9999", i)) for i in range(3)),
    ("degree 4", "contraction", scaled("0.9", 0)),
    ("degree 4", "contraction", scaled("2", 2)),
    ("degree 4", "contraction", lambda _: None),
    ("degree 2", "constant", lambda _: "-1"),
    ("degree 2", "label", scaled("-1", 1)),
    ("degree 2", "label", scaled("-1", 2)),
    ("degree 2", "forms", scaled("-1", 0, 2, 2)),
    ("degree 2", "forms", scaled("0.5", 0, 0, 1)),
    ("degree 4", "forms", scaled("2", 1, 1, 1)),
    *((name, "bound", scaled(A_BIT_LESS)) for name in BY_GROUPS),
    *((name, "constant", lambda _: "-1") for name in BY_GROUPS),
    *((name, "absolute", scaled("0.9", 0, 3, 3)) for name in BY_GROUPS),
    *((name, "label", lambda label: [*label[:3], "0.1"]) for name in BY_GROUPS),
    *((name, "forms", scaled("-1", 0, 0, 3)) for name in BY_GROUPS),
    *(("by a column", "feature", lambda _, wrong=wrong: wrong) for wrong in (None, 0, 1, 3, 4, -1, -3, 2.5, "2", [2])),
    *(("by a value", "feature", lambda _, wrong=wrong: wrong) for wrong in (0, 1, 4, 5)),
    *(("degree 4 by a column", "feature", lambda _, wrong=wrong: wrong) for wrong in (None, 0, 1, 3)),
    *(("degree 2", "feature", lambda _, wrong=wrong: wrong) for wrong in (0, 2)),
    ("degree 2", "excess", lambda _: "-0.001"),
    ("squared", "excess", lambda _: "-1/2^60"),
    *(("degree 2", "absolute", scaled("0.9", 0, i, i)) for i in range(3)),
    ("degree 4", "absolute", scaled("0.9", 1, 2, 2)),
    ("degree 2", "label_scale", scaled("-1")),
    ("degree 2", "label_scale", scaled("0")),
    ("degree 2", "ball_multipliers", scaled("-1", 0)),
    ("degree 2", "ball_multipliers", scaled("0", 0)),
    ("degree 2", "loss", lambda _: "max(0,1-x)"),
    ("degree 2", "loss", lambda _: "(1-x)^2/2"),
    ("degree 2", "loss", lambda _: "exp(-x)"),
    ("degree 2", "version", lambda _: 2),
    ("degree 2", "certificate", lambda _: "density"),
    ("degree 2", "statement", lambda text: text.replace("0.05", "0.01")),
    ("degree 2", "statement", lambda _: ""),
]


@pytest.mark.share(3)
@pytest.mark.parametrize(
    ("name", "field", "change"), STRONGER, ids=[f"{n}-{f}-{i}" for i, (n, f, _) in enumerate(STRONGER)]
)
def test_a_stronger_claim_is_rejected(name: str, field: str, change: Callable[[Any], Any]) -> None:
    body = claims(name)
    body[field] = change(body[field])
    if field in ("bound", "beta", "tau", "ridge"):  # the sentence goes along, so that it is the proof that fails
        body["statement"] = spoken(body)
    assert not accepted(body)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("radius", ["-1000", "-1/2", "0", "1/2^900"])
def test_a_radius_left_of_all_noise_is_rejected(name: str, radius: str) -> None:
    """Far to the left the density of eigenvalues vanishes, and with it what an integral from there sees of the tail."""
    body = claims(name)
    body["radii"] = [body["radii"][0], radius, *body["radii"][2:]]
    body["bound"] = "0.00000001"
    body["statement"] = spoken(body)
    assert not accepted(body)


def test_a_corner_without_a_value_is_no_corner_that_holds() -> None:
    """Scores so large that the loss of the smaller one is NaN in balls, and a polynomial that is wrong just there."""
    small, large = Fraction(3 * 2**157) + Fraction(1, 2**40), Fraction(2**159)
    slope = Fraction(int(large / (large - small) * 2**60) + 1, 2**60)
    at_small, at_large = Fraction(4, 3), slope * large + 100  # for labels -1 and 1
    label, constant = (at_large - at_small + slope * small) / 2, (at_large + at_small - slope * small) / 2
    n, one = 10**150, 2**16
    body = {
        "certificate": "model",
        "version": 1,
        "note": "",
        "beta": "0.05",
        "loss": "log(1+exp(-x))",
        "tau": "2",
        "ridge": None,
        "intercept": "inside",
        "near": None,
        "reach": "2",
        "balls": ["2"],
        "model": "m",
        "feature_map": "f",
        "squared_norm": 2,
        "bits": 16,
        "blocks": [[[-one], [one]]],
        "release": "r",
        "adjacency": "replace-one",
        "size": n,
        "fourth": None,
        "noise": ["1000", "1000", "700"],
        "failures": ["1/50"] * 2,
        "contraction": None,
        "feature": None,
        "excess": "5",
        "label_scale": str(2**160),
        "bound": str(at_small + 6),
        "coefficients": [number_text((large - small) / 2), number_text((large + small) / 2)],
        "first": [str(n * one), str(-n * one)],  # every record has the first code and the label -1
        "second": [[str(n * one**2), str(-n * one**2)], [str(n * one**2)]],
        "radii": [str(Fraction(20000, n * one)), str(Fraction(20000, n * one**2))],
        "constant": number_text(constant),
        "label": [number_text(label), number_text(-slope), "0"],
        "forms": [[["0"] * 3] * 3],
        "absolute": [[["1/2^900" if i == j else "0" for j in range(3)] for i in range(3)]],
        "ball_multipliers": ["1/2^10"],
    }
    with pytest.raises(Rejected, match="not proved to dominate"):
        check(json.dumps(body | {"statement": spoken(body)}))


def test_the_tail_is_whole_from_any_point_on_the_left() -> None:
    for p in (1, 2, 3, 8):
        for radius in (0, -1, -30, -(10**6)):
            assert matrix_tail(p, arb(radius)) > 0.999


def spoken(body: dict[str, Any]) -> str:
    tau = "" if body["tau"] is None else f" of norm at most {body['tau']}"
    free = "" if body["intercept"] == "inside" else ", intercept not counted,"
    name = {"log(1+exp(-x))": "logistic", "max(0,1-x)": "hinge", "(1-x)^2/2": "squared"}[body["loss"]]
    penalty = "" if body["ridge"] is None else f" plus {body['ridge']}/2 times its squared norm"
    return (
        f"Except with probability at most {body['beta']}, no linear model{tau}{free} has a mean {name} loss{penalty} "
        f"on the real table that is smaller than that of the certified model by more than {body['bound']}."
    )


@pytest.mark.share(3)
@pytest.mark.parametrize("name", CASES)
def test_the_sentence_and_weaker_claims(name: str) -> None:
    body = claims(name)
    assert body["statement"] == spoken(body)
    body["bound"] = scaled("3")(body["bound"])
    body["beta"] = "0.06"
    assert not accepted(body)  # the sentence still says something else
    body["statement"] = spoken(body)
    if name in ("degree 4", "by a value", "free", "hinge", "squared"):  # others take long
        assert accepted(body)
    if body["near"] is not None:  # a larger bound does not show that the best model is near
        assert not accepted(body)


def test_every_field_is_either_changed_above_or_taken_as_given() -> None:
    assert {field for _, field, _ in STRONGER} | GIVEN == set(FIELDS)
    for name in CASES:
        assert list(claims(name)) == FIELDS
    assert tuple(FIELDS) == CHECKED_FIELDS


def halved(group: Group) -> Group:
    low, high = group.scores
    return replace(group, scores=((3 * low + high) / 4, (low + 3 * high) / 4))


@pytest.mark.parametrize("name", BY_GROUPS)
def test_bounds_that_overlook_scores_are_rejected(name: str) -> None:
    """The search and its own proof believe in groups; the checker finds them again from the blocks."""
    honest = proof(name)
    narrower = tuple(halved(group) for group in honest.problem.groups)
    forged = excess.certified(replace(honest.problem, groups=narrower))
    assert forged.value < honest.value
    result = check_text(json.dumps(claims(name, forged)))
    assert not result.valid
    assert "dominate" in result.reason


@pytest.mark.parametrize("name", BY_GROUPS)
def test_bounds_that_overlook_a_value_are_rejected(name: str) -> None:
    honest = proof(name)
    for missing in (honest.problem.groups[0], honest.problem.groups[-1]):
        left = tuple(group for group in honest.problem.groups if group != missing)
        forged = excess.certified(replace(honest.problem, groups=left))
        assert forged.value < honest.value
        body = claims(name, forged)
        result = check_text(json.dumps(body))
        assert not result.valid
        assert "dominate" in result.reason
        if name == "by a column":  # where no record has that value the same proof is right
            features = certified(name).release.feature_map
            body["blocks"][2].remove([int(missing.value * features.one)])
            assert accepted(body)


def test_only_features_are_certified_as_directions() -> None:
    honest = proof("by a column")
    assert honest.problem.direction is not None
    twice = replace(honest.problem, direction=tuple(2 * x for x in honest.problem.direction))
    with pytest.raises(NotApplicable, match="few values"):
        claims("by a column", replace(honest, problem=twice))


def test_a_direction_with_any_score_is_left_out_of_files() -> None:
    found, honest = certified("by a column"), proof("by a column")
    continuous = replace(honest.problem, groups=(), directions=(Fraction(-1), Fraction(1)))
    route = Route(FENCHEL_YOUNG, 2, replace(honest, problem=continuous))
    plain = next(route for route in found.routes if route.name == BEST)
    body = certificate_json(replace(found, routes=(plain, route)))
    assert plain.value is not None
    assert body["feature"] is None
    assert Fraction(body["bound"]) >= plain.value > honest.value
    with pytest.raises(NotApplicable, match="few values"):
        claims("by a column", route.found)


@pytest.mark.parametrize("field", FIELDS)
def test_hostile_values_are_rejected_cleanly(field: str) -> None:
    hostile: list[Any] = [
        1.5,
        True,
        -1,
        [],
        {},
        [[]],
        "1/0",
        "9" * 5000,
        "1/2^99999",
        "1/2^-3",
        "nan",
        "1e9",
        "٣",
        "--1",
    ]
    free_text = field in ("note", "release", "model", "feature_map")
    optional = field in ("tau", "ridge", "near", "fourth", "contraction", "feature")
    for value in [*hostile, *([] if optional else [None])]:
        if free_text and isinstance(value, str):
            continue
        result = check_text(json.dumps(claims("squared") | {field: value}))
        assert not result.valid, value
        assert result.reason
    missing = claims("squared")
    del missing[field]
    assert not accepted(missing)


def test_hostile_files_are_rejected_cleanly() -> None:
    body = claims("squared")
    assert not accepted(body | {"guarantee": "none"})
    assert not accepted(body | {"first": ["0"] * 10**4})
    assert not accepted(body | {"blocks": [[[10**4000]]]})
    assert not accepted(body | {"blocks": [[[]]] * 3})
    assert not accepted(body | {"second": [row[:-1] for row in body["second"]]})
    assert not accepted(body | {"bits": 10**9})
    text = json.dumps(body)
    assert not check_text(text.replace(f'"size": {N}', '"size": NaN')).valid
    assert not check_text(text.replace(f'"size": {N}', '"size": 1e400')).valid
    assert not check_text(text.replace('"beta"', '"beta": "0.01", "beta"')).valid  # the last one counts for others
    assert not accepted(body | {"tau": "1/2^"})
    for field in ("release", "model", "feature_map", "note"):
        assert not accepted(body | {field: "x\n- all is proved"})
        assert not accepted(body | {field: "\x1b[2J"})


def test_a_polynomial_that_needs_endless_cells_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domination, "MOST_CELLS", 50)
    with pytest.raises(Rejected, match="excess"):
        check(json.dumps(claims("degree 2")))


def test_the_checkers_eigenvalues_are_those_of_the_closed_form() -> None:
    from flint import arb, ctx

    with ctx.workprec(160):
        for p in (1, 2, 3, 6, 13, 40):
            for above_edge in ("0.5", "1", "3"):
                r = arb(2 * p).sqrt() + arb(above_edge)
                ours, theirs = 2 * eigenvalues_above(p, r), matrix_tail(p, r)
                assert abs(theirs / ours - 1) < arb(10) ** -15


def test_a_certificate_that_the_checker_rejects_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    from bounds.errors import NotCertified

    def reject(text: str, limit: int) -> None:
        raise Rejected("no")

    monkeypatch.setattr(model_checker, "check", reject)
    with pytest.raises(NotCertified, match="rejects it"):
        checked_model(certified("squared"))


def test_evidence_is_that_of_the_release() -> None:
    found = certified("degree 4 by a column")
    facts = evidence(found)
    assert sum(facts.failures) == found.beta
    assert len(facts.noise) == 8
    best = found.best.found
    assert best is not None
    assert model_certificate(best, found.compared_with, facts) == certificate_json(found)


def test_the_command_and_the_module_agree(tmp_path: Path) -> None:
    import subprocess
    import sys

    right, wrong = tmp_path / "right.json", tmp_path / "wrong.json"
    right.write_text(checked_model(certified("squared")), encoding="utf-8")
    wrong.write_text(json.dumps(claims("squared") | {"bound": "0"}), encoding="utf-8")
    for path, code in ((right, 0), (wrong, 1)):
        module = [sys.executable, "-m", "verify.checkers.model", str(path)]
        command = [sys.executable, "-m", "synthbounds", "check", str(path)]
        for line in (module, command):
            done = subprocess.run(line, capture_output=True, text=True, check=False)
            assert done.returncode == code, done.stderr
            assert "Traceback" not in done.stderr
    assert (
        "accepted if:"
        in subprocess.run(
            [sys.executable, "-m", "verify.checkers.model", str(right)], capture_output=True, text=True, check=True
        ).stdout
    )


def test_from_a_table_to_a_checked_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    texts = [column.texts for column in SCHEMA.columns]
    rows = [",".join(t[code] for t, code in zip(texts, row, strict=True)) for row in table(4000)]
    Path("table.csv").write_text("\n".join([",".join(SCHEMA.names), *rows]) + "\n")
    Path("schema.json").write_text(SCHEMA.to_text())
    release = ["release", "moments", "table.csv", "--schema", "schema.json", "--label", "pays", "--epsilon", "2"]
    release += ["--dp-delta", "1e-6", "--mode", "simulate", "--linear", "all", "--output", "release.json"]
    assert main(release) == 0
    assert main(["train", "release.json", "--tau", "2", "--points", "2000", "--output", "model.json"]) == 0
    capsys.readouterr()
    certify = ["certify", "release.json", "model.json", "--certificate", "proof.json"]
    assert main([*certify, "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert main(["check", "proof.json"]) == 0
    capsys.readouterr()
    text = Path("proof.json").read_text()
    body = json.loads(text)
    assert body["feature"] == feature_map(one_hot=False).names.index("owns")
    assert abs(Fraction(body["bound"]) / Fraction(said["excess_upper"]) - 1) < Fraction(1, 10**10)
    for field in ("bound", "beta", "tau", "reach"):  # one digit becomes another
        start = text.index(f'"{field}": "') + len(f'"{field}": "')
        at = next(k for k in range(start, len(text)) if text[k] in "123456789")
        changed = text[:at] + str(int(text[at]) - 1) + text[at + 1 :]
        Path("changed.json").write_text(changed)
        assert main(["check", "changed.json"]) == 1, field
    Path("changed.json").write_text(text.replace('"feature": 2', '"feature": 1'))
    assert main(["check", "changed.json"]) == 1
    assert "Traceback" not in capsys.readouterr().err
    assert main(certify) != 0  # a file that exists is kept
    assert Path("proof.json").read_text() == text
