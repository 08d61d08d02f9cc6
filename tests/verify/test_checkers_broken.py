"""Checkers with one line broken on purpose: changed certificates show that something is wrong with each of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT, sources

NUMBERS = {"approximation": 100, "density": 200, "model": 50, "scores": 300}
"""How many changed certificates are looked at before a broken checker passes for a good one."""
ABOUT = {"taylor": "approximation", "tails": "model", "domination": "model"} | dict.fromkeys(
    ("noise", "score_losses", "score_bounds"), "scores"
)
"""Which certificates a module is about, if not those of its name; they come first, since they show it soonest."""
LINES = [
    ("taylor", "slack = SMALL_SLACK << SLACK_GROWTH_BITS * f.switches", "slack = 1 << self.p"),
    ("taylor", "return min(low for low, _ in ends), max(high for _, high in ends)", "return ends[0]"),
    ("approximation", "bounds = [sizes[0] + v]", "bounds = [sizes[0]]"),
    ("approximation", "require(start == reached,", "require(True,"),
    ("approximation", 'require(body["sha256"] == digest,', "require(True,"),
    ("approximation", "require(sum(weights) == 0,", "require(True,"),
    ("approximation", "require(len(points) >= question.degree + 2,", "require(True,"),
    ("density", "else min(least, value)", "else max(least, value)"),
    ("density", "return int(code >= parameter)", "return int(code > parameter)"),
    ("density", "require(len(listed) == expected,", "require(True,"),
    ("density", "worst = max(worst, abs(mean - target))", "worst = max(worst, mean - target)"),
    ("density", "require(min(weights) > 0,", "require(True,"),
    ("tails", "return 2 * (within + beyond)", "return (within + beyond) / 9"),
    ("domination", "** 2 / 8 * bend", "** 2 * 0 * bend"),
    ("model", "require(tail <= failure,", "require(True,"),
    ("model", "require(pivot > 0, reason)", "require(pivot != 0, reason)"),
    ("model", "require(holds and compared.reach >= far,", "require(holds,"),
    ("model", "proof.q.constant + proof.excess - proof.bound", "proof.q.constant - proof.bound"),
    ("model", 'require(body["statement"] == statement(body),', "require(True,"),
    ("noise", "(quantile(failure) * self.deviation + HALF)", "(quantile(failure) * self.deviation)"),
    ("score_losses", 'if loss == "logistic" else reach.min(arb(1))', "if True else reach"),
    ("score_bounds", "return self.answer.middle - self.answer.radius(failure) - self.gap", "return self.answer.middle"),
    ("scores", "require(same and over", "require(over"),
    ("scores", "excess_within(proved, most + penalty, floor)", "excess_within(proved, most, floor)"),
    ("__init__", "require(key not in found,", "require(True,"),
    ("__init__", "require(key in needed or key in optional,", "require(True,"),
    ("__init__", "require(type(value) is int,", "require(isinstance(value, int),"),
]
"""A module, a piece of a line that stands in it once, and what is put there instead."""
LOOK = """
import sys
sys.path[:0] = [sys.argv[1], sys.argv[2]]
from tests.verify.certificate_mutations import FOLDER, KINDS, damaged, stored
from tests.verify.test_checkers_broken import ABOUT, NUMBERS
from tests.verify.test_checkers import caught
from tests.verify.test_checkers_mutations import false_accepted
from synthbounds.api.proofs import check_text
import verify.checkers
assert verify.checkers.__file__.startswith(sys.argv[1])
first = ABOUT.get(sys.argv[3], sys.argv[3])
if caught():
    sys.exit(9)
for kind in sorted(KINDS, key=lambda kind: kind != first):
    for name in ["model_squared"] if kind == "model" else stored(kind)[:20]:
        text = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
        if not check_text(text).valid or any(check_text(other).valid for other in damaged(text)):
            sys.exit(9)
    for start in range(0, NUMBERS[kind], 50):
        if false_accepted(kind, range(start, start + 50))[0]:
            sys.exit(9)
"""


def noticed(folder: Path, module: str = "", old: str = "", new: str = "") -> bool:
    """Whether something is wrong with a copy of the checkers in which a line was changed."""
    copy = folder / "verify" / "checkers"
    copy.mkdir(parents=True)
    (folder / "verify" / "__init__.py").write_text("")
    for path in sources("verify/checkers"):
        text = path.read_text(encoding="utf-8")
        if path.stem == module:
            assert text.count(old) == 1
            text = text.replace(old, new)
        (copy / path.name).write_text(text, encoding="utf-8")
    line = [sys.executable, "-c", LOOK, str(folder), str(ROOT), module]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 9), done.stderr
    return done.returncode == 9


@pytest.mark.slow
def test_nothing_is_wrong_with_the_checkers_themselves(tmp_path: Path) -> None:
    assert not noticed(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("module", "old", "new"), LINES)
def test_a_broken_line_is_noticed(module: str, old: str, new: str, tmp_path: Path) -> None:
    assert noticed(tmp_path, module, old, new)


def test_the_lines_are_those_of_the_checkers() -> None:
    for module, old, _ in LINES:
        (path,) = (path for path in sources("verify/checkers") if path.stem == module)
        assert path.read_text(encoding="utf-8").count(old) == 1, old
