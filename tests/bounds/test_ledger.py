"""The ledger: never above its total in exact arithmetic, its refusals, its JSON, and a test of its theorem."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from bounds.aim_confidence import AimRound
from bounds.enclosure import Enclosure
from bounds.errors import BudgetError, DataError, ParameterError, SynthboundsError, UsageError
from bounds.privacy import amounts
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.amounts import Currency, Entry
from bounds.privacy.concentrated import exponential_zcdp, largest_rho, zcdp_delta
from bounds.privacy.gaussian import analytic_gaussian, gaussian_delta
from bounds.privacy.ledger import MOST_ENTRIES, Ledger
from bounds.privacy.statements import DP, ZCDP, GaussianDP, Statement
from release.files.strict_json import Number
from release.reserving import QUERY, plan_ledger

SAME, OTHER = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE
LITTLE = Fraction(1, 10**30)


def rho(value: Any, adjacency: Any = SAME) -> ZCDP:
    return ZCDP(rho=value, adjacency=adjacency)


def mu2(value: Any, adjacency: Any = SAME) -> GaussianDP:
    return GaussianDP(mu_squared=value, adjacency=adjacency)


def dp(epsilon: Any, delta: Any = 0, adjacency: Any = SAME) -> DP:
    return DP(epsilon=epsilon, delta=delta, adjacency=adjacency)


TOTALS: dict[str, Callable[[Any], Statement]] = {
    "epsilon": dp,
    "epsilon-delta": lambda value: dp(value, Fraction(value) / 1000),
    "rho": rho,
    "mu_squared": mu2,
}


def booked(ledger: Ledger) -> tuple[Fraction, Fraction]:
    """Sums by Python's fractions, apart from those of the ledger."""
    return (
        sum((entry.amount for entry in ledger.entries), Fraction(0)),
        sum((entry.dp_delta for entry in ledger.entries), Fraction(0)),
    )


# -------------------------------------------------------------------------------------------- what is there, exactly


@pytest.mark.parametrize("make", TOTALS.values(), ids=TOTALS)
def test_all_that_is_left_can_be_spent_and_not_a_trifle_more(make: Callable[[Any], Statement]) -> None:
    ledger = Ledger.of(make(Fraction(1, 3))).spend(make(Fraction(1, 7)), "first")
    left = Fraction(1, 3) - Fraction(1, 7)
    assert ledger.left == left
    assert not ledger.affords(make(left + LITTLE))
    with pytest.raises(BudgetError, match="only"):
        ledger.spend(make(left + LITTLE), "more")
    with pytest.raises(BudgetError, match="only"):
        ledger.reserve(make(left + LITTLE), "more")
    assert ledger.affords(make(left))
    empty = ledger.spend(make(left), "rest")
    assert (empty.left, empty.dp_delta_left, empty.spent) == (0, 0, empty.total)
    for nothing_more in (empty.spend, empty.reserve):
        with pytest.raises(BudgetError):
            nothing_more(make(LITTLE), "again")


def test_each_coordinate_of_a_pair_is_kept() -> None:
    ledger = Ledger.of(dp(1, "0.01"))
    assert ledger.currency is Currency.EPSILON_DELTA
    assert not ledger.affords(dp("0.5", Fraction("0.01") + LITTLE))
    assert not ledger.affords(dp(1 + LITTLE, "0.001"))
    with pytest.raises(BudgetError, match=r"only \(1, 0.01\) of \(1, 0.01\) is left for replace-one \(answers\)"):
        ledger.spend(dp("0.5", Fraction("0.01") + LITTLE), "answers")
    ledger = ledger.spend(dp(1), "pure").spend(dp(0, "0.004"), "delta alone")
    assert (ledger.left, ledger.dp_delta_left) == (0, Fraction("0.006"))
    assert (ledger.spent, ledger.dp_delta_spent) == (1, Fraction("0.004"))
    kept = ledger.reserve(dp(0, "0.006"), "later")
    assert (kept.dp_delta_reserved, kept.dp_delta_left) == (Fraction("0.006"), 0)
    assert kept.spend(dp(0, "0.002"), "part", reserve="later").dp_delta_reserved == Fraction("0.004")


def test_costs_convert_to_rho_and_to_nothing_else() -> None:
    ledger = Ledger.of(rho(10))
    for cost, amount in (
        (dp("0.5"), Fraction(1, 8)),
        (mu2("0.5"), Fraction(1, 4)),
        (exponential_zcdp(epsilon="0.5", adjacency=SAME), Fraction(1, 32)),
        (rho(Enclosure(Fraction(1, 5), Fraction(1, 4))), Fraction(1, 4)),
        (dp(Enclosure(Fraction(0), Fraction(1, 2))), Fraction(1, 8)),
        (AimRound(epsilon=1, noise_sd=2, largest_weight=1, candidates=3, adjacency=SAME).cost, Fraction(3, 4)),
    ):
        assert ledger.spend(cost, "once").spent == amount
    pure, pair, gauss = Ledger.of(dp(10)), Ledger.of(dp(10, "0.1")), Ledger.of(mu2(10))
    interval = Enclosure(Fraction(1, 5), Fraction(1, 4))
    assert pure.spend(dp(interval), "once").spent == Fraction(1, 4)
    spent = pair.spend(dp(interval, Enclosure(Fraction(1, 50), Fraction(1, 40))), "once")
    assert (spent.spent, spent.dp_delta_spent) == (Fraction(1, 4), Fraction(1, 40))
    refused: list[tuple[Ledger, Statement]] = [
        (ledger, dp(1, "1e-9")),
        (ledger, dp(0)),
        (pure, dp(1, "1e-9")),
        (pure, rho(1)),
        (pure, mu2(1)),
        (pair, rho(1)),
        (pair, mu2(1)),
        (gauss, dp(1)),
        (gauss, rho(1)),
    ]
    for where, cost in refused:
        with pytest.raises(UsageError, match="is not a cost in"):
            where.spend(cost, "once")


def test_totals_count_at_their_lower_ends() -> None:
    wide = Enclosure(Fraction(1, 5), Fraction(1, 4))
    assert Ledger.of(rho(wide)).total == Ledger.of(dp(wide)).total == Fraction(1, 5)
    pair = Ledger.of(dp(1, wide))
    assert (pair.total, pair.dp_delta) == (1, Fraction(1, 5))


def test_another_adjacency_is_refused() -> None:
    for cost in (rho(1, OTHER), mu2(1, OTHER), dp(1, 0, OTHER)):
        with pytest.raises(UsageError, match="adjacency = add-remove: the ledger is for replace-one"):
            Ledger.of(rho(10)).spend(cost, "once")
    assert Ledger.of(rho(1, OTHER)).adjacency is OTHER


def test_totals_from_a_target() -> None:
    asked: dict[str, Any] = {"epsilon": "1.1", "dp_delta": "1e-7", "adjacency": "add-remove"}
    ledger = Ledger.in_rho(**asked)
    assert ledger.total == largest_rho(**asked, digits=15).safe_rho
    assert zcdp_delta(rho(ledger.total), epsilon="1.1").delta.hi <= Fraction("1e-7")
    gauss = Ledger.in_mu_squared(**asked)
    assert gauss.total == 1 / analytic_gaussian(**asked, digits=15).safe_ratio ** 2
    assert gaussian_delta(mu2(gauss.total), epsilon="1.1").delta.hi <= Fraction("1e-7")
    planned = plan_ledger(epsilon=Fraction("1.1"), dp_delta=Fraction("1e-7"), adjacency=OTHER, reserve=Fraction(1, 6))
    assert planned == gauss.reserve_share("1/6", QUERY)
    assert planned.left == gauss.total * Fraction(5, 6)
    for found in (ledger, gauss):
        assert found.target == dp("1.1", "1e-7", OTHER)
        with pytest.raises(BudgetError, match="is more than"):
            replace(found, total=found.total + LITTLE)


def test_a_reservation_is_spent_in_parts() -> None:
    ledger = Ledger.of(mu2(1)).reserve_share("1/4", "gradients").spend(mu2("3/4"), "moments")
    assert (ledger.left, ledger.reserved, ledger.spent) == (0, Fraction(1, 4), Fraction(3, 4))
    first = ledger.spend_reserved("gradients", "first", part="0.3")
    assert first.entries[-1] == Entry(what="first", amount=Fraction(3, 40), reserve="gradients")
    assert first.reservation("gradients").amount == Fraction(7, 40)
    with pytest.raises(BudgetError, match=r"only 0\.175 is reserved as 'gradients'"):
        first.spend(mu2(Fraction(7, 40) + LITTLE), "second", reserve="gradients")
    assert not first.affords(mu2(Fraction(7, 40) + LITTLE), reserve="gradients")
    assert first.affords(mu2(Fraction(7, 40)), reserve="gradients")
    last = first.spend(mu2(Fraction(7, 40)), "second", reserve="gradients")
    assert last == first.spend_reserved("gradients", "second")
    assert (last.spent, last.reserved, last.left) == (1, 0, 0)
    with pytest.raises(BudgetError, match="'gradients': is spent"):
        last.spend_reserved("gradients", "third")
    with pytest.raises(BudgetError, match="'other': nothing is reserved"):
        last.give_back("other")
    back = first.give_back("gradients")
    assert (back.left, back.reserved) == (Fraction(7, 40), 0)
    with pytest.raises(UsageError, match="same name"):
        ledger.give_back("gradients").reserve(mu2("1/8"), "a").reserve(mu2("1/8"), "a")


WRONG: dict[str, tuple[type[SynthboundsError], Callable[[Ledger], object]]] = {
    "not a number": (ParameterError, lambda ledger: ledger.spend(ledger.statement(float("nan")), "x")),
    "a number": (UsageError, lambda ledger: ledger.spend(Fraction(1), "x")),  # type: ignore[arg-type]
    "no name": (ParameterError, lambda ledger: ledger.spend(rho("0.1"), " ")),
    "two lines": (ParameterError, lambda ledger: ledger.spend(rho("0.1"), "a\nb")),
    "a long name": (ParameterError, lambda ledger: ledger.reserve(rho("0.1"), "a" * 201)),
    "a name that is none": (ParameterError, lambda ledger: ledger.reserve(rho("0.1"), 3)),  # type: ignore[arg-type]
    "no share": (ParameterError, lambda ledger: ledger.reserve_share(0, "x")),
    "more than all": (ParameterError, lambda ledger: ledger.reserve_share(1 + LITTLE, "x")),
    "all of it twice": (BudgetError, lambda ledger: ledger.reserve_share(1, "x").reserve_share(1, "y")),
    "no part": (ParameterError, lambda ledger: ledger.reserve_share(1, "x").spend_reserved("x", "y", part=0)),
    "too large a part": (ParameterError, lambda ledger: ledger.reserve_share(1, "x").spend_reserved("x", "y", part=2)),
    "a total of another kind": (UsageError, lambda _: Ledger.of(3)),  # type: ignore[arg-type]
    "a total of nothing": (ParameterError, lambda _: Ledger.of(dp(0))),
    "a currency by name": (UsageError, lambda ledger: replace(ledger, currency="rho")),  # type: ignore[arg-type]
    "a float inside": (ParameterError, lambda ledger: replace(ledger, total=0.5)),  # type: ignore[arg-type]
    "a delta without place": (UsageError, lambda ledger: replace(ledger, dp_delta=Fraction(1, 10))),
    "a target without place": (UsageError, lambda _: replace(Ledger.of(dp(1)), target=dp(1, "0.1"))),
    "a target of another adjacency": (UsageError, lambda ledger: replace(ledger, target=dp(1, "0.1", OTHER))),
    "a delta of 1": (ParameterError, lambda _: replace(Ledger.of(dp(1, "0.5")), dp_delta=Fraction(1))),
    "a free entry": (ParameterError, lambda _: Entry(what="x", amount=Fraction(0))),
    "a negative entry": (ParameterError, lambda _: Entry(what="x", amount=Fraction(-1))),
    "an unknown state": (ParameterError, lambda _: Entry(what="x", amount=Fraction(1), state="open")),  # type: ignore[arg-type]
    "a reservation paid by one": (
        UsageError,
        lambda _: Entry(what="x", amount=Fraction(1), state="reserved", reserve="y"),
    ),
    "a cost too long to write": (ParameterError, lambda _: Entry(what="x", amount=Fraction(1, 3**4000))),
}


@pytest.mark.parametrize(("kind", "call"), WRONG.values(), ids=WRONG)
def test_what_is_refused(kind: type[SynthboundsError], call: Callable[[Ledger], object]) -> None:
    with pytest.raises(kind) as caught:
        call(Ledger.of(rho(1)))
    assert caught.type is kind
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


def test_sums_that_grow_without_end_are_refused() -> None:
    primes = [n for n in range(10**4, 10**5) if all(n % d for d in range(2, math.isqrt(n) + 1))]
    entries = tuple(Entry(what="x", amount=Fraction(1, prime)) for prime in primes[:2500])
    with pytest.raises(UsageError, match="too many digits"):
        replace(Ledger.of(rho(10)), entries=entries)
    with pytest.raises(UsageError, match="more than"):
        replace(Ledger.of(rho(10)), entries=(Entry(what="x", amount=Fraction(1, 10**9)),) * (MOST_ENTRIES + 1))


# --------------------------------------------------------------------------------------------------- random histories

parts = st.fractions(min_value=Fraction(1, 50), max_value=1, max_denominator=50)
steps = st.lists(
    st.tuples(st.sampled_from(("spend", "reserve", "share", "draw", "part", "back")), parts, st.integers(0, 2)),
    max_size=25,
)


def act(ledger: Ledger, make: Callable[[Any], Statement], step: tuple[str, Fraction, int]) -> Ledger:
    kind, size, which = step
    name = f"reserve {which}"
    if kind == "spend":
        return ledger.spend(make(size / 5), "query")
    if kind == "reserve":
        return ledger.reserve(make(size / 4), name)
    if kind == "share":
        return ledger.reserve_share(size, name)
    if kind == "draw":
        return ledger.spend(make(size / 10), "drawn", reserve=name)
    if kind == "part":
        return ledger.spend_reserved(name, "part", part=size)
    return ledger.give_back(name)


@settings(max_examples=150, deadline=None)
@given(kind=st.sampled_from(sorted(TOTALS)), total=parts, steps=steps)
def test_no_history_exceeds_its_total(kind: str, total: Fraction, steps: list[tuple[str, Fraction, int]]) -> None:
    make = TOTALS[kind]
    ledger = Ledger.of(make(total))
    for step in steps:
        before, said = ledger, json.dumps(ledger.to_json())
        try:
            ledger = act(ledger, make, step)
        except (BudgetError, UsageError):
            assert json.dumps(before.to_json()) == said
            continue
        amount, dp_delta = booked(ledger)
        assert amount <= ledger.total
        assert dp_delta <= ledger.dp_delta
        assert (ledger.left, ledger.dp_delta_left) == (ledger.total - amount, ledger.dp_delta - dp_delta)
        assert ledger.spent + ledger.reserved + ledger.left == ledger.total
        assert ledger.dp_delta_spent + ledger.dp_delta_reserved + ledger.dp_delta_left == ledger.dp_delta
        assert ledger.spent >= before.spent
        if step[0] != "back":
            assert ledger.left <= before.left
        if step[0] in ("draw", "part"):
            assert (ledger.left, ledger.dp_delta_left) == (before.left, before.dp_delta_left)
    again = Ledger.from_json(json.loads(json.dumps(ledger.to_json())))
    assert again == ledger
    assert hash(again) == hash(ledger)


@settings(max_examples=60, deadline=None)
@given(costs=st.lists(parts, min_size=1, max_size=8), data=st.data())
def test_what_is_left_does_not_depend_on_the_order(costs: list[Fraction], data: st.DataObject) -> None:
    def after(order: list[Fraction]) -> Ledger:
        ledger = Ledger.of(rho(sum(costs)))
        for cost in order:
            ledger = ledger.spend(rho(cost), "query")
        return ledger

    first, second = after(costs), after(data.draw(st.permutations(costs)))
    assert (first.left, first.spent) == (second.left, second.spent) == (0, sum(costs))


def test_it_says_what_it_is() -> None:
    ledger = Ledger.of(rho("1/3")).spend(rho("1/7"), "tables").reserve(rho("1/9"), "later")
    assert ledger.text() == "rho = 0.333334 for replace-one: 0.142858 spent, 0.111112 reserved, 0.0793650 left"
    assert "what='tables'" in repr(ledger)
    pair = Ledger.of(dp(1, "1e-6")).spend(dp("0.25", "1e-7"), "answers")
    assert pair.text() == (
        "(epsilon, dp_delta) = (1, 0.000001) for replace-one: (0.25, 1e-7) spent, (0, 0) reserved, (0.75, 9e-7) left"
    )
    assert ledger != Ledger.of(rho("1/3"))
    for made in (ledger, pair, Ledger.of(mu2(2)), Ledger.of(dp(2))):
        assert Ledger.of(made.statement(made.total, made.dp_delta)) == replace(made, entries=())


# --------------------------------------------------------------------------------------------------------------- JSON


def example() -> dict[str, Any]:
    ledger = Ledger.in_rho(epsilon=1, dp_delta="1e-6", adjacency=SAME).reserve_share("1/2", "later")
    found: dict[str, Any] = json.loads(json.dumps(ledger.spend_reserved("later", "now", part="1/3").to_json()))
    return found


def changed(*path: Any, to: Any) -> dict[str, Any]:
    body = example()
    at: Any = body
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = to
    return body


def doubled() -> dict[str, Any]:
    body = example()
    body["entries"].append(body["entries"][0])
    return body


HOSTILE: dict[str, object] = {
    "nothing": None,
    "a list": [],
    "a field too many": changed("owner", to="me"),
    "a field too few": {key: value for key, value in example().items() if key != "target"},
    "another adjacency": changed("adjacency", to="neighbours"),
    "an adjacency that is no text": changed("adjacency", to=["replace-one"]),
    "the other spelling": changed("adjacency", to="add/remove"),
    "an unknown currency": changed("total", to={"sigma": "1"}),
    "a total that is a number": changed("total", to="1"),
    "a total of nothing": changed("total", "rho", to="0"),
    "a negative total": changed("total", "rho", to="-1"),
    "a float": changed("total", "rho", to=0.02),
    "an integer": changed("total", "rho", to=1),
    "a truth": changed("total", "rho", to=True),
    "a decimal": changed("total", "rho", to="0.02"),
    "not in lowest terms": changed("total", "rho", to="2/100"),
    "a zero below": changed("total", "rho", to="1/0"),
    "other digits": changed("total", "rho", to="1/5\N{ARABIC-INDIC DIGIT ZERO}"),
    "a line after": changed("total", "rho", to="1/50\n"),
    "a number in no quotes": changed("total", "rho", to=Number("1/50")),
    "a delta of 1": Ledger.of(dp(1, "0.5")).to_json() | {"total": {"epsilon": "1", "dp_delta": "1"}},
    "very long": changed("total", "rho", to="1/1" + "0" * 5000),
    "more than its target allows": changed("total", "rho", to="1/40"),
    "a smaller target": changed("target", "dp_delta", to="1/1000001"),
    "a target that is none": changed("target", "dp_delta", to="0"),
    "a target without delta": changed("target", to={"epsilon": "1"}),
    "entries that are no list": changed("entries", to={}),
    "an entry that is none": changed("entries", 0, to="later"),
    "an entry in another currency": changed("entries", 0, "cost", to={"epsilon": "1/1000"}),
    "a free entry": changed("entries", 0, "cost", "rho", to="0"),
    "a refund": changed("entries", 0, "cost", "rho", to="-1/1000"),
    "an entry above the total": changed("entries", 0, "cost", "rho", to="1"),
    "an unknown state": changed("entries", 0, "state", to="open"),
    "a state that is no text": changed("entries", 0, "state", to=["spent"]),
    "no name": changed("entries", 0, "what", to=""),
    "a name with a line": changed("entries", 0, "what", to="a\nb"),
    "half a character": changed("entries", 0, "what", to="\ud800"),
    "a reservation paid by one": changed("entries", 0, "reserve", to="later"),
    "a reserve that is no text": changed("entries", 1, "reserve", to=7),
    "a reservation twice": doubled(),
    "too many entries": changed("entries", to=[{}] * (MOST_ENTRIES + 1)),
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_hostile_json_is_refused(body: object) -> None:
    with pytest.raises(DataError) as caught:
        Ledger.from_json(body)
    said = str(caught.value)
    assert said.startswith("ledger: ")
    assert not said.startswith("ledger: ledger")
    assert "\n" not in said
    assert len(said) < 300


def test_the_example_is_fine() -> None:
    assert Ledger.from_json(example()).to_json() == example()
    less = Ledger.from_json(changed("total", "rho", to="1/50"))
    assert less.total == Fraction(1, 50)


def test_entries_that_just_exceed_the_total_are_refused() -> None:
    body = Ledger.of(dp(1, "0.5")).spend(dp(1, "0.5"), "all").to_json()
    assert Ledger.from_json(body).left == 0
    for field, above in (("epsilon", 1 + LITTLE), ("dp_delta", Fraction(1, 2) + LITTLE)):
        worse = json.loads(json.dumps(body))
        worse["entries"][0]["cost"][field] = str(above)
        with pytest.raises(DataError, match="exceed the total"):
            Ledger.from_json(worse)


def test_longest_numbers_come_back() -> None:
    long = Fraction(2**amounts.MOST_BITS - 3, 2**amounts.MOST_BITS - 1)
    ledger = replace(Ledger.of(rho(1)), entries=(Entry(what="x", amount=long),))
    assert Ledger.from_json(json.loads(json.dumps(ledger.to_json()))) == ledger


# ---------------------------------------------------------------------------- the theorem against all small strategies

Laws = tuple[tuple[Fraction, Fraction], ...]
"""A mechanism on two neighbours: the probabilities of each output on the one and on the other."""


def response(units: int) -> Laws:
    """Randomised response with epsilon = units ln 2."""
    most, least = Fraction(2**units, 1 + 2**units), Fraction(1, 1 + 2**units)
    return ((most, least), (least, most))


def leaky(units: int, leak: Fraction) -> Laws:
    """The same, but the data are shown with probability `leak`: (units ln 2, leak)-private and no better."""
    answers = tuple(((1 - leak) * p, (1 - leak) * q) for p, q in response(units))
    return (*answers, (leak, Fraction(0)), (Fraction(0), leak))


def transcripts(
    left: Any, menu: Callable[[Any], list[tuple[Laws, Any]]], rounds: int
) -> Iterator[list[tuple[Fraction, Fraction]]]:
    """The laws of the transcripts of all strategies: after every history any mechanism that is still afforded."""
    yield [(Fraction(1), Fraction(1))]
    if rounds == 0:
        return
    for laws, rest in menu(left):
        following = list(transcripts(rest, menu, rounds - 1))
        chosen = [0] * len(laws)
        while True:
            yield [(p * a, q * b) for (p, q), index in zip(laws, chosen, strict=True) for a, b in following[index]]
            place = next((i for i, index in enumerate(chosen) if index + 1 < len(following)), None)
            if place is None:
                break
            chosen[: place + 1] = [0] * place + [chosen[place] + 1]


def hockey_stick(laws: list[tuple[Fraction, Fraction]], gamma: Fraction) -> Fraction:
    return max(
        sum((max(p - gamma * q, Fraction(0)) for p, q in laws), Fraction(0)),
        sum((max(q - gamma * p, Fraction(0)) for p, q in laws), Fraction(0)),
    )


@pytest.mark.parametrize("total", [1, 2, 3])
def test_no_strategy_exceeds_a_pure_total(total: int) -> None:
    def menu(ledger: Ledger) -> list[tuple[Laws, Ledger]]:
        afforded = [units for units in (1, 2, 3) if ledger.affords(dp(units))]
        return [(response(units), ledger.spend(dp(units), "x")) for units in afforded]

    worst = Fraction(0)
    for laws in transcripts(Ledger.of(dp(total)), menu, 3):
        assert sum(p for p, _ in laws) == sum(q for _, q in laws) == 1
        worst = max(worst, *(max(p / q, q / p) for p, q in laws))
    assert worst == 2**total


def test_no_strategy_exceeds_epsilon_and_delta() -> None:
    total = Ledger.of(dp(2, "0.3"))
    grid = [(units, leak) for units in (0, 1, 2) for leak in (Fraction(0), Fraction(1, 10), Fraction(3, 10))][1:]

    def menu(ledger: Ledger) -> list[tuple[Laws, Ledger]]:
        afforded = [(units, leak) for units, leak in grid if ledger.affords(dp(units, leak))]
        return [(leaky(units, leak), ledger.spend(dp(units, leak), "x")) for units, leak in afforded]

    worst, count = Fraction(0), 0
    for laws in transcripts(total, menu, 2):
        count += 1
        worst = max(worst, hockey_stick(laws, Fraction(4)))
    assert count > 1000
    assert worst == Fraction(3, 10)


def test_overspending_on_one_branch_is_seen() -> None:
    """The attack has teeth: one unit more, on one answer alone, breaks the promise."""
    first, second = response(1), response(2)
    laws = [(p * a, q * b) for a, b in second for p, q in first[:1]] + list(first[1:])
    assert hockey_stick(laws, Fraction(4)) > 0
    within = [(p * a, q * b) for a, b in response(1) for p, q in first[:1]] + list(first[1:])
    assert hockey_stick(within, Fraction(4)) == 0


@pytest.mark.parametrize("order", [2, 3, 7])
def test_no_strategy_exceeds_a_renyi_moment(order: int) -> None:
    """At one order, and exactly: moments of all transcripts against the product that the total allows."""

    def moment(laws: Any) -> Fraction:
        return max(
            sum((p**order / q ** (order - 1) for p, q in laws), Fraction(0)),
            sum((q**order / p ** (order - 1) for p, q in laws), Fraction(0)),
        )

    cost = {units: moment(response(units)) for units in (1, 2, 3)}
    total = cost[1] ** 3 * cost[2]

    def menu(left: Fraction) -> list[tuple[Laws, Fraction]]:
        return [(response(units), left / cost[units]) for units in cost if cost[units] <= left]

    worst = max(moment(laws) for laws in transcripts(total, menu, 3))
    assert worst <= total
    full = max(moment(laws) for laws in transcripts(cost[1] ** 2, menu, 3))
    assert full == cost[1] ** 2


def test_no_strategy_exceeds_rho() -> None:
    def epsilon(units: int) -> Fraction:
        return units * Fraction("0.6931471805599454")  # above ln 2

    total = Ledger.of(rho(2 * epsilon(1) ** 2 / 2 + epsilon(2) ** 2 / 2))

    def menu(ledger: Ledger) -> list[tuple[Laws, Ledger]]:
        costs = {units: dp(epsilon(units)) for units in (1, 2)}
        return [(response(u), ledger.spend(cost, "x")) for u, cost in costs.items() if ledger.affords(cost)]

    orders = (1.1, 2, 5, 20)
    worst = dict.fromkeys(orders, 0.0)
    for laws in transcripts(total, menu, 3):
        p, q = (np.array([float(law[side]) for law in laws]) for side in (0, 1))
        for alpha in orders:
            for a, b in ((p, q), (q, p)):
                worst[alpha] = max(worst[alpha], math.log((a**alpha * b ** (1 - alpha)).sum()) / (alpha - 1) / alpha)
    assert max(worst.values()) <= float(total.total)
    assert worst[1.1] > 0.8 * float(total.total)


# ---------------------------------------------------------------------------------------------------- Gaussian privacy

GAMMAS = np.exp(np.linspace(-4, 6, 41))
ROUGH = 1e-7
"""Integration on a grid, across kinks."""


def curve(mu: Any, gamma: Any) -> Any:
    """H_gamma of N(mu, 1) and N(0, 1)."""
    mu, gamma = np.broadcast_arrays(np.asarray(mu, dtype=float), np.asarray(gamma, dtype=float))
    still = mu < 1e-12
    safe = np.where(still, 1.0, mu)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        level = np.log(gamma)
        found = ndtr(safe / 2 - level / safe) - np.where(gamma == 0, 0, gamma * ndtr(-safe / 2 - level / safe))
    return np.where(still, np.maximum(1 - gamma, 0), found)


def adaptive(first: float, then: Callable[[NDArray[np.float64]], NDArray[np.float64]], gamma: float) -> float:
    """H_gamma of a first answer y = N(first, 1) or N(0, 1) and a second of mu = then(y), by integration over y."""
    y, step = np.linspace(-12, 12 + first, 40001, retstep=True)
    ratio = np.exp(first**2 / 2 - first * y)  # of the second density and the first one
    density = np.exp(-((y - first) ** 2) / 2) / math.sqrt(2 * math.pi)
    return float((density * curve(then(y), gamma * ratio)).sum() * step)


RULES: dict[str, Callable[[NDArray[np.float64], float], NDArray[np.float64]]] = {
    "all of it": lambda y, rest: np.full_like(y, rest),
    "after a high answer": lambda y, rest: np.where(y > 0.5, rest, 0.0),
    "after a low answer": lambda y, rest: np.where(y < 0.2, rest, 0.0),
    "after a doubtful answer": lambda y, rest: np.where(abs(y - 0.4) < 0.7, rest, rest / 3),
    "smoothly": lambda y, rest: rest * ndtr(y),
}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.parametrize(("total", "first"), [(1.0, 0.6), (0.5, 0.2), (2.0, 1.9)])
def test_no_strategy_exceeds_the_gaussian_curve(rule: Any, total: float, first: float) -> None:
    rest = math.sqrt(total**2 - first**2)
    found = np.array([adaptive(first, lambda y: rule(y, rest), gamma) for gamma in GAMMAS])
    promised = curve(total, GAMMAS)
    assert (found <= promised + ROUGH).all()
    assert (found >= curve(first, GAMMAS) - ROUGH).all()
    if rule is RULES["all of it"]:
        assert np.allclose(found, promised, atol=ROUGH)


def test_overspending_after_one_answer_is_seen_on_the_curve() -> None:
    total, first = 1.0, 0.6
    rest = math.sqrt(total**2 - first**2)
    found = np.array([adaptive(first, lambda y: np.where(y < 0.2, rest, 1.2 * rest), g) for g in GAMMAS])
    assert (found > curve(total, GAMMAS) + 1e-4).any()


def test_no_strategy_of_gaussian_private_responses_exceeds_the_curve() -> None:
    """Randomised response that is right with probability p is 2 ndtri(p)-Gaussian private, without Gaussian noise."""

    @cache
    def squared(units: int) -> Fraction:
        return Fraction(math.ceil(10**12 * 4 * ndtri(2**units / (1 + 2**units)) ** 2), 10**12)

    total = Ledger.of(mu2(2 * squared(1) + squared(2)))

    def menu(ledger: Ledger) -> list[tuple[Laws, Ledger]]:
        costs = {units: mu2(squared(units)) for units in (1, 2)}
        return [(response(u), ledger.spend(cost, "x")) for u, cost in costs.items() if ledger.affords(cost)]

    promised = curve(math.sqrt(total.total), GAMMAS)
    for laws in transcripts(total, menu, 3):
        p, q = (np.array([float(law[side]) for law in laws])[:, None] for side in (0, 1))
        assert (np.maximum(p - GAMMAS * q, 0).sum(0) <= promised + 1e-12).all()
        assert (np.maximum(q - GAMMAS * p, 0).sum(0) <= promised + 1e-12).all()
