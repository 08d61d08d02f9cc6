"""The checkers: short enough to be read, independent, strict, and quick to refuse what would take long."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from bounds.errors import DataError
from synthbounds.api.proofs import check_text
from tests.paths import ROOT, sources
from tests.verify.certificate_mutations import FOLDER, KINDS, read, renewed, stored
from tests.verify.certificate_truth import approximation_is_true, density_is_true, model_is_true
from tests.verify.score_truth import scores_are_true
from verify.checkers import Rejected, approximation, density, model, score_bounds, score_questions, scores, taylor
from verify.checkers import domination as domination_module

MODULES = sources("verify/checkers")
MOST_LINES, MOST_FUNCTION_LINES, MOST_CHARACTERS, MOST_COMPLEXITY = 400, 40, 100, 12
MOST_LOADED = 31
LIGHT = {"bounds", "bounds.errors", "bounds.parameter", "bounds.shown"}
TRUE: dict[str, Callable[[dict[str, Any]], bool]] = {
    "approximation": approximation_is_true,
    "density": density_is_true,
    "model": model_is_true,
    "scores": scores_are_true,
}


# they can be read


def complexity(function: ast.AST) -> int:
    """One, and one more for everything that makes two ways out of one; functions inside count for themselves."""
    found, waiting = 1, list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.BoolOp):
            found += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            found += 1 + len(node.ifs)
        ways = ast.If | ast.For | ast.While | ast.ExceptHandler | ast.IfExp | ast.Assert | ast.match_case
        found += isinstance(node, ways)
    return found


def test_complexity_is_counted() -> None:
    code = (
        "def f(x):\n    if x and x or x:\n        return [y for y in x if y]\n    assert x\n    return 1 if x else 2\n"
    )
    assert complexity(ast.parse(code).body[0]) == 1 + 1 + 2 + 2 + 1 + 1


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_checker_can_be_read(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= MOST_CHARACTERS
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, ast.FunctionDef):
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno + 1 <= MOST_FUNCTION_LINES, node.name
            assert complexity(node) <= MOST_COMPLEXITY, node.name


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_checker_imports_nothing_of_the_provers(path: Path) -> None:
    allowed = set(sys.stdlib_module_names) | {"flint"}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names = [str(node.module)]
        for name in names:
            assert name.split(".")[0] in allowed or name.split(".")[:2] == ["verify", "checkers"], name


def test_checkers_run_where_nothing_else_of_ours_is(tmp_path: Path) -> None:
    (tmp_path / "verify").mkdir()
    (tmp_path / "verify" / "__init__.py").write_text("")
    (tmp_path / "verify" / "checkers").mkdir()
    for path in MODULES:
        (tmp_path / "verify" / "checkers" / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    hidden = "import sys; sys.path.insert(0, '.'); sys.modules.update(dict.fromkeys(['bounds', 'lp', 'release'], None))"
    for kind in KINDS:
        name = FIRST[kind] if kind in ("model", "scores") else stored(kind)[0]
        good, bad = FOLDER / f"{name}.json", tmp_path / "bad.json"
        bad.write_text(good.read_text(encoding="utf-8").replace('"version": 1', '"version": 2'), encoding="utf-8")
        code = f"{hidden}; import runpy; sys.argv = ['checker', sys.argv[1]]; "
        code += f"runpy.run_module('verify.checkers.{kind}', run_name='__main__')"
        for path, expected, start in ((good, 0, "accepted"), (bad, 1, "rejected: ")):
            line = [sys.executable, "-c", code, str(path)]
            done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
            assert done.returncode == expected, done.stderr
            assert (done.stdout + done.stderr).startswith(start)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["text", "json"])
def test_the_command_loads_no_prover(kind: str, form: str) -> None:
    code = (
        "import sys; from synthbounds.cli import main; code = main(sys.argv[1:]); ours = sorted(m for m in sys.modules "
        "if m.split('.')[0] in ('bounds', 'lp', 'release', 'mechanisms', 'verify', 'synthbounds', 'paper_figures')); "
        "sys.stderr.write(' '.join(ours)); sys.exit(code)"
    )
    line = [sys.executable, "-c", code, "check", str(FOLDER / f"{FIRST[kind]}.json"), "--format", form]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded = done.stderr.split()
    assert len(loaded) <= MOST_LOADED, loaded
    assert {m for m in loaded if m.split(".")[0] == "bounds"} == LIGHT
    ours = {m for m in loaded if m.split(".")[0] in ("lp", "release", "mechanisms")}
    assert ours <= {"release", "release.signals"}  # how a process is told to end


FIRST = {
    "approximation": "approximation_logistic_minimax",
    "density": "density_cells_exact",
    "model": "model_squared",
    "scores": "scores_excess_norm",
}


# stored certificates: their verdicts are pinned


@pytest.mark.share(3)
@pytest.mark.parametrize("name", [name for kind in KINDS for name in stored(kind)])
def test_stored_certificates_of_version_1_stay_valid(name: str) -> None:
    result = check_text((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    assert result.valid, result.reason
    assert TRUE[name.split("_")[0]](read(name))


def test_there_are_stored_certificates() -> None:
    assert [len(stored(kind)) for kind in KINDS] == [16, 12, 18, 21]


# one strict reader


@pytest.mark.parametrize("kind", KINDS)
def test_a_key_that_stands_twice_is_refused(kind: str) -> None:
    text = json.dumps(read(FIRST[kind]))
    twice = {
        "approximation": '{"error": {"lo": "0", "hi": "1/1000000"}, ',
        "density": '{"upper": "1/1000000", "lower": "1/1000000", ',
        "model": '{"beta": "0.01", ',
        "scores": '{"beta": "0.01", ',
    }
    result = check_text(twice[kind] + text[1:])
    assert not result.valid
    assert "appears twice" in result.reason


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("approximation", {"comment": "x"}, "'comment' is not a field"),
    ("approximation", {"degree": True}, "degree: is not a whole number"),
    ("approximation", {"degree": "4"}, "degree: is not a whole number"),
    ("approximation", {"interval": ["-5", "5", "6"]}, "interval: has 3 entries"),
    ("approximation", {"error": {"lo": "0", "hi": "1", "mid": "0"}}, "'mid' is not a field"),
    ("approximation", {"attained": 5}, "is not a number as text"),
    ("approximation", {"attained": "1_0"}, "is not a number as text"),
    ("approximation", {"attained": " 5"}, "is not a number as text"),
    ("approximation", {"attained": "05"}, "is not a number as text"),
    ("approximation", {"attained": "5/0"}, "is not a number as text"),
    ("approximation", {"function": "0xae+x"}, "not in the grammar"),
    ("approximation", {"function": "x^2^2"}, "without brackets"),
    ("approximation", {"function": "007+x"}, "begins with 0"),
    ("approximation", {"method": ["minimax"]}, "method: is not text"),
    ("density", {"note": {"any": "JSON"}}, "note: is not text"),
    ("density", {"note": "x" * 2000}, "note: is longer"),
    ("density", {"family": ["cells"]}, "family: is not text"),
    ("density", {"lower": "0.0"}, "is not a number as text"),
    ("density", {"degree": 2.0}, "2.0' is not a whole number"),
    ("model", {"size": True}, "size: is not a whole number"),
    ("model", {"bits": "16"}, "bits: is not a whole number"),
    ("model", {"release": "a\nb"}, "cannot be printed"),
    ("model", {"first": [1, 2, 3]}, "first: has 3 entries"),
    ("model", {"reach": "1e9"}, "is not a number as text"),
    ("scores", {"size": True}, "size: is not a whole number"),
    ("scores", {"size": "3000"}, "size: is not a whole number"),
    ("scores", {"release": "a\nb"}, "cannot be printed"),
    ("scores", {"beta": 0}, "is not a number as text"),
    ("scores", {"ask": "all"}, "ask: is not one that is known here"),
    ("scores", {"features": None}, "features: are missing"),
    ("scores", {"failures": {"labels": "1/100"}}, "failures: difference is missing"),
    ("scores", {"failures": {"luck": "1/100"}}, "'luck' is not a field"),
    ("scores", {"choice": {"among": 2, "share": "1/2", "epsilon": "1"}}, "costs more than its share"),
]


@pytest.mark.parametrize(("kind", "change", "reason"), REFUSED)
def test_what_is_not_exactly_the_format_is_refused(kind: str, change: dict[str, Any], reason: str) -> None:
    result = check_text(json.dumps(renewed(read(FIRST[kind]) | change)))
    assert not result.valid
    assert reason in result.reason


def test_rests_of_factors_and_points_are_refused() -> None:
    body = read(FIRST["density"])
    body["queries"][0][0] += [99, -7]
    assert "has 4 entries, not 2" in check_text(json.dumps(body)).reason
    body = read(FIRST["density"])
    body["support"][0].append(0)
    assert not check_text(json.dumps(body)).valid


def test_what_is_no_json_is_bad_input() -> None:
    for text in ("", "{", "[" * 100_000, b"\xff\xfe", "[]", "7", "\ufeff{}"):
        with pytest.raises(DataError):
            check_text(text)
    for text in ('{"certificate": NaN}', '{"certificate": 1e5}', '{"size": ' + "9" * 5000 + "}"):
        assert not check_text(text).valid


# work is counted before it is done


def bomb(**change: Any) -> str:
    return json.dumps(renewed(read(FIRST["approximation"]) | change))


def all_points(attributes: int) -> str:
    """A true certificate of all points of a domain with two levels, of all products of two."""
    queries = [[[a, 1] for a in c] for k in (1, 2) for c in combinations(range(attributes), k)]
    body = {
        "certificate": "density",
        "version": 1,
        "sizes": [2] * attributes,
        "family": "monomials",
        "degree": 2,
        "points": "full",
        "queries": queries,
        "targets": ["1/2"] * len(queries),
        "support": [[0] * attributes],
        "weights": ["1"],
        "dual": [str((7 * i) % 11 - 5) for i in range(len(queries))],
        "lower": "0",
        "upper": "1",
    }
    return json.dumps(body)


ONE_CELL = [["-5", "5", "0", 100]]
BOMBS = {
    "levels": json.dumps(read("density_cells_exact") | {"sizes": [1_000_000_000, 2]}),
    "many levels": json.dumps(read("density_cells_exact") | {"sizes": [2**16] * 1000, "degree": 1000}),
    "all points": all_points(22),
    "powers": bomb(function="((x^64)^64)^64", precision=10_000, cells=ONE_CELL),
    "powers of few bits": bomb(function="((x^64)^64)^64", precision=100, cells=ONE_CELL),
    "factors": bomb(function="*".join(["x^64"] * 400), precision=10_000, cells=ONE_CELL),
    "fewer factors": bomb(function="*".join(["x^64"] * 300), precision=10_000, cells=ONE_CELL),
    "brackets": bomb(function="(" * 5000 + "x" + ")" * 5000),
    "minus signs": bomb(function="-" * 5000 + "x"),
    "points": bomb(minimax={"lo": "0", "hi": "1", "points": [f"{k}/{10**3900 + k}" for k in range(300)]}),
    "centre": bomb(degree=200, polynomial=["1/" + "7" * 3000] * 201, cells=[["-5", "5", "1/" + "3" * 3900, 2]]),
    "blocks": json.dumps(read("model_squared") | {"blocks": [[[10**250]]]}),
}


def seconds_of(work: Callable[[], object]) -> float:
    """Of the processor, not of the clock."""
    start = time.process_time()
    work()
    return time.process_time() - start


@pytest.mark.share(3)
@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused_at_once(name: str) -> None:
    text = BOMBS[name]
    taken = seconds_of(lambda: check_text(text))
    assert taken < 10 * seconds_of(lambda: [Fraction(k, k + 1) for k in range(200_000)])  # as fast as the machine is
    tracemalloc.start()
    result = check_text(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert not result.valid
    assert result.reason
    assert peak < 2_000_000 + 60 * len(text)


def test_more_work_is_done_if_it_is_allowed() -> None:
    text = all_points(10)
    with pytest.raises(Rejected, match=r"takes at least .* steps, and 100 are allowed; .* --limit"):
        density.check(text, 100)
    assert density.check(text, 10**6) == density.check(text)
    assert "--limit" in check_text(json.dumps(read(FIRST["approximation"])), limit=10).reason
    for kind in ("model", "scores"):
        assert "--limit" in check_text(json.dumps(read(FIRST[kind])), limit=10).reason


# broken checkers are noticed


def _drops_nan(loss: Any, q: Any, cell: Any) -> Any:
    from itertools import product

    from flint import arb

    found = [
        (
            loss.value(cell.y * s) - loss.value(cell.y * v) - q.value(cell.y, [arb(1), s, v, cell.u][: len(q.label)])
        ).mid()
        for s, v in product(cell.s, cell.v)
    ]
    return min(found)


BROKEN: dict[str, tuple[Any, str, Any]] = {
    "rounding down": (taylor.Taylor, "dot", lambda self, u, v: (0, 0)),
    "cells may leave a gap": (approximation, "require_cover", lambda question: None),
    "errors above are not seen": (approximation, "check_cell", lambda question, cell, taylor: None),
    "attained anywhere": (approximation, "check_attained", lambda question, taylor: None),
    "moments are not looked at": (approximation, "require_moments", lambda *_: None),
    "fingerprints are not looked at": (approximation, "require_fingerprint", lambda body: None),
    "one point stands for all": (density, "least_value", lambda programme, terms: 10**60),
    "targets are always met": (density, "upper_bound", lambda *_: 0),
    "queries are not those of the family": (density, "number_of_queries", lambda f, s, d, most: most),
    "the noise is never large": (model, "require_radii", lambda *_: None),
    "any class": (model, "require_class", lambda *_: None),
    "any form": (model, "require_forms", lambda *_: None),
    "any bound": (model, "require_bound", lambda *_: None),
    "any polynomial": (model, "require_domination", lambda *_: None),
    "the smallest corner": (domination_module, "largest_corner", _drops_nan),
    "no rise between corners": (domination_module, "rise", lambda axis, bend: bend * 0),
    "any cost": (scores, "require_cost", lambda *_: None),
    "any lower end": (scores, "require_below", lambda claimed, proved, name: scores.fraction(claimed, name)),
    "any upper end": (scores, "require_above", lambda claimed, proved, name: scores.fraction(claimed, name)),
    "any verdict": (scores, "require_said", lambda *_: None),
    "any beta": (scores, "read_failures", lambda body: dict.fromkeys(scores.EVENTS, scores.fmpq(1, 100))),
    "half of what a record moves": (
        score_questions.LeastLoss,
        "reach",
        lambda question: question.radius() / 2,
    ),
    "no rounding of noise": (score_bounds, "difference_radius", lambda first, second, failure: first.radius(failure)),
    "one label is every label": (scores, "require_one_label", lambda found: None),
}


def caught() -> list[str]:
    """Which of a few false certificates are accepted, and which true ones are not."""
    found = []
    for kind, number, change in FALSE:
        body = read(f"{kind}_{number}")
        change(body)
        fresh = json.dumps(body if body.pop("keep", False) else renewed(body))
        if check_text(fresh).valid:
            found.append(f"{kind}_{number}")
    return found + [name for name in FIRST.values() if not check_text(json.dumps(read(name))).valid]


def _set(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(body: dict[str, Any]) -> None:
        body[key] = value(body[key]) if callable(value) else value

    return change


def _moved_less(place: int) -> Callable[[dict[str, Any]], None]:
    """By a record, than it can."""

    def change(body: dict[str, Any]) -> None:
        row = body["questions"][place]
        row["moved"] = str(Fraction(row["moved"]) * Fraction(95, 100))

    return change


def _sharper(claim: str) -> Callable[[dict[str, Any]], None]:
    """By one in the last digit."""

    def change(body: dict[str, Any]) -> None:
        said = body["claims"][claim]
        body["claims"][claim] = str(Decimal(said) - Decimal(1).scaleb(-len(said.partition(".")[2])))

    return change


def _damage(body: dict[str, Any]) -> None:
    body.update(method="another", keep=True)


def _two_queries_less(body: dict[str, Any]) -> None:
    for key in ("queries", "targets", "dual"):
        del body[key][-2:]


def _line(body: dict[str, Any]) -> None:
    """x instead of 0, from 0 to 1, is off by 1, and by less at the centre of the cell."""
    body.clear()
    body.update(
        certificate="polynomial approximation", version=1, function="x", interval=["0", "1"], degree=1, method="",
        polynomial=["0", "0"], error={"lo": "0", "hi": "1/2"}, coefficient_sum={"lo": "0", "hi": "0"}, precision=100,
        attained="0", cells=[["0", "1", "1/4", 2]], sha256="",
    )  # fmt: skip


def _two_points(body: dict[str, Any]) -> None:
    body["minimax"] = {"lo": "2", "hi": "3", "points": ["-5", "5"]}


def _mass(body: dict[str, Any]) -> None:
    said = {"lo": "20", "hi": "1000000", "marginal_error": "10", "points": ["-5"], "weights": ["4"]}
    body["objective"] = said


FALSE: list[tuple[str, str, Callable[[dict[str, Any]], None]]] = [
    ("approximation", "logistic_minimax", _set("error", {"lo": "0.02", "hi": "0.0201"})),
    ("approximation", "sqrt_chebyshev", _set("error", {"lo": "1", "hi": "2"})),
    ("approximation", "logistic_minimax", _set("cells", lambda cells: cells[1:])),
    ("approximation", "logistic_minimax", _damage),
    ("approximation", "logistic_optimal", lambda body: body["objective"]["weights"].__setitem__(0, "-1/3")),
    ("approximation", "logistic_minimax", _line),
    ("approximation", "logistic_minimax", _two_points),
    ("approximation", "logistic_optimal", _mass),
    ("density", "monomials_full_exact", _set("lower", "1")),
    ("density", "monomials_full_exact", lambda body: body.update(upper="10", weights=["-1", *body["weights"][1:]])),
    ("density", "monomials_full_exact", _set("upper", "0")),
    ("density", "monomials_full_exact", _two_queries_less),
    ("density", "monomials_full_exact", lambda b: b.update(lower="0", upper="2", targets=["100", *b["targets"][1:]])),
    ("model", "squared", lambda body: body["radii"].__setitem__(1, "1/1000000")),
    ("model", "squared", _set("tau", "50")),
    ("model", "squared", _set("absolute", lambda forms: [[["0"] * 3] * 3])),
    ("model", "squared", _set("bound", "0")),
    ("model", "squared", _set("excess", "-1/2")),
    ("model", "squared", _set("reach", "1/2")),
    ("model", "hinge", _set("excess", lambda text: "1/2^60")),
    ("scores", "excess_norm", lambda body: body["claims"].update(excess="0.03")),
    ("scores", "excess_norm", lambda body: body["claims"].update(floor="0.6")),
    ("scores", "excess_norm", lambda body: body["claims"].update(informative=True)),
    ("scores", "excess_norm", lambda body: body["questions"][0].update(deviation="7")),
    ("scores", "excess_norm", lambda body: body["questions"][1]["question"].update(tau="9")),
    ("scores", "excess_norm", lambda body: body["questions"][2]["question"].update(label="owns")),
    ("scores", "excess_norm", _set("failures", lambda parts: parts | {"difference": "0.4"})),
    ("scores", "excess_norm", _sharper("excess")),
    ("scores", "excess_wide", _sharper("excess")),
    ("scores", "excess_wide", lambda body: body["claims"].update(floor="0.001")),
    ("scores", "excess_wide", lambda body: body["claims"].update(excess=body["claims"]["risk"])),
    ("scores", "excess_ridge", lambda body: body["claims"].update(constant="0.6")),
    ("scores", "excess_ridge", _moved_less(1)),
    ("scores", "excess_private_size", _moved_less(0)),
    ("scores", "floors", _moved_less(3)),
    ("scores", "excess_over", lambda body: body["questions"][1]["question"]["coefficients"].__setitem__(0, "-1/5")),
    ("scores", "auc", _moved_less(0)),
    ("scores", "loss_best", lambda body: body["choice"].update(epsilon="0.5")),
    ("scores", "calibration", lambda body: body["claims"]["bins"][2].update(lower="0.482")),
    ("scores", "loss_log", lambda body: body["claims"]["compared"][1].update(upper="0.0314")),
]


def test_false_certificates_are_rejected_and_true_ones_are_not() -> None:
    assert caught() == []


@pytest.mark.share(3)
@pytest.mark.parametrize("bug", BROKEN)
def test_a_broken_checker_is_noticed(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, name, broken = BROKEN[bug]
    monkeypatch.setattr(owner, name, broken)
    assert caught() != []
