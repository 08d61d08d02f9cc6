"""Numbers on the pages about audits and planning: from audits that run, and from recorded benchmarks."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

from mechanisms.models.confirm import line
from mechanisms.models.plan import query_forecast
from mechanisms.models.plan import reference as guess
from mechanisms.models.plan.certificate_plan import WORTH_IT
from tests.pages.quoted import SETTING, Page, decimal, exponential, recorded, thousands
from tests.pages.quoted_threat_model import audits_of_commands
from verify.audit.log_subjects import WHOLE_RUNS
from verify.audit.run import audit
from verify.audit.statistics import ALPHA
from verify.audit.subject import DELTA
from verify.audit.subjects import BANDWIDTH, DEGREE, SUBJECTS, records_needed


def _audits() -> Iterator[str]:
    yield f"a lower bound on epsilon with confidence {float(1 - ALPHA)}"
    delta = exponential(float(DELTA), 0)
    notes = {
        "algorithm-1": f"n = {records_needed(Fraction(1))} as Theorem II.1 asks",
        "bernstein-printed": f"(k+1)^(p-1) epsilon for p = 2, k = {DEGREE}",
        "bernstein-printed-kernel": f"Gaussian kernel, h = {float(BANDWIDTH)}",
        "gaussian-classical": f"at delta = {delta}",
        "ssp": f"at delta = {delta}, both releases",
        "adassp": f"at delta = {delta}, three releases",
    }
    for name in ("log-counts", "log-counts-add-remove"):
        notes[name] = f"at delta = {delta}, three tables as shipped"
    notes["answers-contrast-gaussian"] = f"at delta = {delta}, answers through contrasts as shipped"
    notes["objective-sharp"] = f"at delta = {delta}, the least point of a perturbed objective, add-remove"
    for subject in SUBJECTS:
        if subject.name in WHOLE_RUNS:  # of which the page says no number
            continue
        loss = audit(subject.name).loss
        assert loss is not None
        ends = {_exact(float(end)) for end in (loss.epsilon.lo, loss.epsilon.hi)}  # type: ignore[union-attr]
        assert len(ends) == 1
        yield f"| `{subject.name}` | {subject.epsilon} | {ends.pop()} | {notes.get(subject.name, '')}".rstrip()
        if subject.name == "gaussian-classical":
            assert loss.delta is not None
            at = f"at epsilon = {subject.epsilon} and delta = {delta}"
            yield f"{at} fails, exactly: its delta is {exponential(float(loss.delta.hi), 3)}"
    yield from _scoreboard(delta)
    yield from audits_of_commands()


def _exact(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".") if value == round(value) else f"{value:.4f}"


def _scoreboard(delta: str) -> Iterator[str]:
    board = recorded("audit")
    yield f"With {thousands(board['samples'])} samples of each input all {board['bugs']} bugs are found"
    assert board["found"] == board["bugs"]
    yield f"{board['found_exact']} of {board['asked_exact']} by exact computation"
    yield f"{board['found_ratio']} of {board['asked_ratio']} by ratio"
    yield f"{board['found_blackbox']} of {board['bugs']} by the black box"
    words = {3: "Three", 4: "Four", 5: "Five"}[len(board["exact_alone"])]
    yield f"{words}, all with delta = {delta}, are found by exact computation alone"
    counted = {key: value for key, value in board.items() if key.startswith("false_alarms_")}
    (allowed,) = {value["allowed"] for value in counted.values()}
    audits, alarms = (sum(value[what] for value in counted.values()) for what in ("audits", "alarms"))
    yield f"In {thousands(audits)} audits of controls at confidence {1 - allowed} there were {alarms} false alarms"
    ratio = [value for key, value in counted.items() if key.startswith("false_alarms_ratio")]
    assert sum(value["alarms"] for value in ratio) == alarms  # all of the ratio layer
    of = sum(value["audits"] for value in ratio)
    yield f"({100 * alarms / of:.1f} percent of its {thousands(of)}), where {100 * allowed:.0f} percent are allowed"


AUDITS = Page(_audits)

TABLES = ("adult", "dutch", "compas", "churn", "law", "heart")
NORMS, EPSILONS = (2, 5, 10), ("0.5", "1.0", "2.0")


def _planning() -> Iterator[str]:
    yield from _guess()
    record = recorded("planning")
    yield f"means over {record['draws']} draws"
    for name in TABLES:
        cells = [_three(record[name], kind, norm) for kind in ("reference", "like") for norm in NORMS]
        size = f"{thousands(record[name]['n'])}, {record[name]['features']}"
        yield f"| {name.capitalize()} ({size}) | {' | '.join(cells)} |"
    yield f"*Heart* has {record['heart']['n']} records"
    yield from _ratios()
    yield from _queries(record)
    yield from _improvements()


def _guess() -> Iterator[str]:
    yield f"a fixed table of {thousands(guess.RECORDS)} records"
    yield f"m is {guess.MEAN} or -{guess.MEAN}; the deviation s falls geometrically from {guess.WIDEST} to "
    yield f"from {guess.WIDEST} to {guess.NARROWEST}; z is standard normal"
    yield f"the correlation {guess.LOADING} or -{guess.LOADING} with one hidden cause"
    yield f"a constant plus {guess.STEEPNESS} times a score of variance 1"
    yield f"({guess.SHARE} where nothing is said)"
    first, second = query_forecast.SHARES
    yield f"with {first} and {second} of the budget"
    assert WORTH_IT == 0.9
    yield "whether the best is below nine tenths of what the release alone gives"
    yield f"{exponential(line.MISSED['logistic'], 0)} times the squared norm of the model is assumed"


def _rows() -> list[tuple[str, dict[str, Any]]]:
    record = recorded("planning")
    return [
        (name, record[name][f"tau {norm}, epsilon {epsilon}"])
        for name in TABLES
        for norm in NORMS
        for epsilon in EPSILONS
    ]


def _three(table: dict[str, Any], kind: str, norm: int) -> str:
    return " ".join(decimal(table[f"tau {norm}, epsilon {epsilon}"][f"{kind}_ratio"], 2) for epsilon in EPSILONS)


def _ratios() -> Iterator[str]:
    rows = [row for _, row in _rows()]
    ours = [row["reference_ratio"] for row in rows]
    middle = f"median {decimal(statistics.median(ours), 2)}, from {decimal(min(ours), 2)} to {decimal(max(ours), 2)}"
    yield f"*Reference*: {middle}; too small in {sum(x < 1 for x in ours)} of {len(ours)} cases"
    ours = [row["like_ratio"] for row in rows]
    middle = f"median {decimal(statistics.median(ours), 2)}, from {decimal(min(ours), 2)} to {decimal(max(ours), 2)}"
    near = sum(0.9 <= x <= 1.1 for x in ours)
    yield f"*`--like`*: {middle}; within 10 % in {near} of {len(ours)} cases"
    gains = [_gain(name) for name in ("adult", "dutch", "compas")]
    assert [round(gain, 1) for gain in gains[:2]] == [0.2, 0.4]
    assert round(gains[2], 2) == 0.05
    yield "on Adult about a fifth, on Dutch two fifths, on Compas a twentieth"


def _gain(name: str) -> float:
    """What groups gain at norm 5 and epsilon 1."""
    row = recorded("certify")[f"{name}_tau5_degree2"]
    return float(1 - row["mean"] / row["one_quadratic_mean"])


def _queries(record: dict[str, Any]) -> Iterator[str]:
    yield f"Against medians of {record['draws']} draws with a share of {record['query_share']}"
    rows = _rows()
    ours = [row["reference_query_ratio"] for _, row in rows]
    between = f"between {decimal(min(ours), 2)} and {max(ours):.0f}"
    yield f"{between} from the reference population (median {statistics.median(ours):.1f})"
    ours = [row["like_query_ratio"] for _, row in rows]
    between = f"between {decimal(min(ours), 2)} and {max(ours):.1f} with `--like`"
    few = sum(x < 1 for x in ours)
    yield f"{between} (median {decimal(statistics.median(ours), 2)}; too small in {few} of {len(ours)} cases)"
    right, _ = _answers("reference")
    like_right, wrong = _answers("like")
    from_reference = f"it was right in {right} of {len(rows)} cases from the reference population"
    yield f"{from_reference} and in {like_right} with `--like`"
    words = {3: "three", 4: "four", 5: "five"}[len(wrong)]
    assert all(row["like_says_query_pays"] for _, row in wrong)
    assert {name for name, _ in wrong} == {"compas", "churn"}
    sizes = [row["query"] / row["certificate"] for _, row in wrong]
    yield f"All {words} errors of the latter were a yes on Compas or Churn"
    yield f"the query's certificate came out at {decimal(min(sizes), 2)} to {decimal(max(sizes), 2)} times"


def _answers(kind: str) -> tuple[int, list[tuple[str, dict[str, Any]]]]:
    """How often the yes or no was right, and the rows where it was not."""
    wrong = [
        (name, row)
        for name, row in _rows()
        if row[f"{kind}_says_query_pays"] != (row["query"] < WORTH_IT * row["certificate"])
    ]
    return len(_rows()) - len(wrong), wrong


def _improvements() -> Iterator[str]:
    record = recorded("improving")
    five, two = record["adult, tau 5"], record["adult, tau 2"]
    yield f"| none | | {_small(five['none'])} | | {_small(two['none'])} |"
    for change, text in (("epsilon", "epsilon 2"), ("tau", "norm times 4/5"), ("fourth", "fourth moments")):
        cells = [_small(row[f"{change}_{what}"]) for row in (five, two) for what in ("estimate", "certificate")]
        yield f"| {text} | {' | '.join(cells)} |"
    plans = [f"{record[f'plan_{n}_features_cpu_s']:.1f} for {n} features" for n in (14, 66, 200)]
    yield f"a plan {', '.join(plans)}, {record['plan_fourth_cpu_s']:.1f} with fourth moments"
    yield f"a target {record['target_cpu_s']:.1f}, with fourth moments {record['target_fourth_cpu_s']:.1f}"
    seconds = {f"{record[f'{name}, tau 5']['improvements_cpu_s']:.1f}" for name in ("adult", "dutch")}
    assert len(seconds) == 1
    yield f"the list of improvements {seconds.pop()} on Adult and on Dutch"


def _small(value: float) -> str:
    """Three digits, never with an exponent."""
    return f"{Decimal(f'{value:#.3g}'):f}".removeprefix("0")


PLANNING = Page(
    _planning,
    {SETTING: ("norms 2, 5, 10 and epsilon 1/2, 1, 2", "confidence 95 %", "norm 10 |", "with a norm of 5 or 10")},
)
