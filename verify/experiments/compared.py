"""What pairs of recorded runs say about two methods: same table, same budget, same split, different method.

A table is on the side of a method if it is better in at least nine of ten of its pairs. That one method is better is
reproduced if the sign test over all pairs says so and no table is on the other's side, not reproduced if it is the
other way round, and mixed otherwise.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from verify.claim import Evidence, Verdict
from verify.experiments.recorded import Line, recorded_lines
from verify.experiments.rerun import Rerun, Where, matches
from verify.experiments.statistics import LEVEL, Signs, share_interval, signs
from verify.experiments.study import numbers_of

MOST_OF_PAIRS = 0.9


@dataclass(frozen=True)
class Pairs:
    """Two methods on the same tables, splits and budgets."""

    study: str
    first: Where
    second: Where
    score: str
    is_gain: bool
    """Whether larger values are better."""
    common: Where
    """What both have in common: budgets, tables, a protocol."""
    of: tuple[str, ...] = ("table", "epsilon", "set")
    """The settings that a pair shares; the first says what is judged separately: tables, or budgets."""

    def by_table(self) -> dict[str, list[float]]:
        """How much better the first is, pair by pair."""
        lines = [line for line in recorded_lines(self.study) if matches(line, self.common)]
        sides = [
            {self._key(line): line for line in lines if matches(line, where)} for where in (self.first, self.second)
        ]
        found: dict[str, list[float]] = {}
        for key in sorted(sides[0].keys() & sides[1].keys(), key=str):
            gain = self._value(sides[0][key]) - self._value(sides[1][key])
            found.setdefault(str(key[0]), []).append(gain if self.is_gain else -gain)
        return found

    def rerun(self) -> Rerun:
        return Rerun(self.study, ({**self.common, **self.first}, {**self.common, **self.second}), (self.score,))

    def _key(self, line: Line) -> tuple[object, ...]:
        return tuple(line[name] for name in self.of)

    def _value(self, line: Line) -> float:
        return numbers_of(line, ())[self.score]


def better(pairs: Pairs) -> Evidence:
    """Whether the first is better than the second."""
    return better_of(pairs.by_table())


def better_of(found: Mapping[str, Sequence[float]]) -> Evidence:
    """The same of gains by table."""
    for_it, against, total = sides(found)
    if total.direction > 0 and not against:
        verdict = Verdict.REPRODUCED
    elif total.direction < 0 and not for_it:
        verdict = Verdict.NOT_REPRODUCED
    else:
        verdict = Verdict.MIXED
    return Evidence(verdict, f"{described(total)}; better on {listed(for_it)}, worse on {listed(against)}")


def no_worse(pairs: Pairs) -> Evidence:
    """Whether the first is as good as the second or better, table by table."""
    found = pairs.by_table()
    for_it, against, total = sides(found)
    verdict = Verdict.REPRODUCED
    if against:
        verdict = Verdict.NOT_REPRODUCED if len(against) == len(found) else Verdict.MIXED
    return Evidence(verdict, f"{described(total)}; better on {listed(for_it)}, worse on {listed(against)}")


def alike(pairs: Pairs, *, within: float) -> Evidence:
    """Whether the mean difference is small on every table."""
    found = pairs.by_table()
    return alike_of(_means(found), within=within, errors=_errors(found))


def competitive(pairs: Pairs, *, within: float) -> Evidence:
    """Whether the mean of the first is nowhere worse by more than this."""
    return competitive_of(pairs.by_table(), within=within)


def competitive_of(found: Mapping[str, Sequence[float]], *, within: float) -> Evidence:
    """The same of gains by table."""
    means = _means(found)
    return _within({table: min(mean, 0.0) for table, mean in means.items()}, means, within, _errors(found))


def alike_of(means: Mapping[str, float], *, within: float, errors: Mapping[str, float] | None = None) -> Evidence:
    return _within(means, means, within, errors or {})


def _means(found: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {table: statistics.fmean(values) for table, values in found.items()}


def _errors(found: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Standard errors, if there are at least two pairs."""
    return {t: statistics.stdev(values) / len(values) ** 0.5 for t, values in found.items() if len(values) > 1}


def _within(
    judged: Mapping[str, float], means: Mapping[str, float], most: float, errors: Mapping[str, float]
) -> Evidence:
    near = [table for table, mean in judged.items() if abs(mean) <= most]
    verdict = Verdict.MIXED if near else Verdict.NOT_REPRODUCED
    if len(near) == len(means):
        verdict = Verdict.REPRODUCED
    error = {table: f" ± {value:.4f}" for table, value in errors.items()}
    shown = ", ".join(f"{title(table)} {mean:+.4f}{error.get(table, '')}" for table, mean in means.items())
    return Evidence(verdict, f"mean differences, with standard errors: {shown}; within {most} on {listed(near)}")


def sides(found: Mapping[str, Sequence[float]]) -> tuple[list[str], list[str], Signs]:
    """Tables on the side of the first, of the second, and the signs of all pairs."""
    each = {table: signs(values) for table, values in found.items()}
    count = {table: len(values) for table, values in found.items()}
    for_it = [table for table, s in each.items() if s.more >= MOST_OF_PAIRS * count[table]]
    against = [table for table, s in each.items() if s.less >= MOST_OF_PAIRS * count[table]]
    return for_it, against, sum(each.values(), Signs(0, 0))


def described(total: Signs) -> str:
    share = share_interval(total.more, max(1, total.more + total.less))
    return (
        f"better in {total.more} pairs of runs and worse in {total.less} (sign test p = {total.p_value:.2g}; a share "
        f"of {share.low:.2f} to {share.high:.2f} at {LEVEL:.2%})"
    )


def listed(tables: Sequence[str]) -> str:
    return ", ".join(title(table) for table in tables) or "none"


def title(table: str) -> str:
    """A table's name, or a budget, as written in texts."""
    if table[0].isdigit():
        return f"epsilon {table}"
    return "ACS" + table[4:] if table.startswith("acs_") else table.capitalize()
