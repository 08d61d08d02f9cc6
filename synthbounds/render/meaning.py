"""What a privacy statement means for one person, in words for people and as JSON."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from bounds.exact import show_rational
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.meaning import WIDER, Meaning
from synthbounds.render.numbers import down, integer_text, json_enclosure, up

HARDLY_ANY = Fraction(99, 100)
"""A guess that is right this often leaves hardly any protection."""
MOST_SHOWN = 10**6
"""Odds that grow by more than this are said to have no limit."""
_LARGE = ((10**12, " trillion"), (10**9, " billion"), (10**6, " million"))
_RAREST = Fraction(1, 10**15)
_WONDERS = {
    Adjacency.REPLACE_ONE: "has narrowed that record down to two possibilities that look equally likely",
    Adjacency.ADD_REMOVE: "finds it as likely as not that this person is in the table at all",
}


def meaning_words(found: Meaning) -> str:
    """The statement in sentences without a symbol; every number is rounded so that it stays true."""
    said = (
        f"Suppose someone knows every record but one person's, and {_WONDERS[found.adjacency]}. "
        f"With what is released, their best guess is right at most {often(found.best_guess.hi)}; "
        "without it, 50 times in 100."
    )
    if found.best_guess.hi > HARDLY_ANY:
        return f"{said} That is hardly any protection."
    return said


def suspicion_words(found: Meaning) -> str:
    """How far suspicions grow and how often further, and under add-remove what they are about."""
    whether, further = "", ""
    if found.adjacency is Adjacency.ADD_REMOVE:
        whether, further = " of whether this person is in the table", f" {_replaced_words(found)}"
    if found.exception == 1:
        return f"Nothing limits how far a suspicion{whether} grows: delta is too large.{further}"
    grown = " and ".join(
        f"a suspicion of {percent(suspicion.before)} grows to at most {percent(suspicion.after_at_most.hi)}"
        for suspicion in found.suspicions
    )
    rarely = f", except with a chance of at most {chance(found.exception)}" if found.exception else ""
    fold = _fold(found.odds_factor.hi)
    return f"Whatever they suspected before{whether}, the odds grow at most {fold}{rarely}: {grown}.{further}"


def factor_words(found: Meaning) -> str:
    """Why odds grow by this factor; nothing if no factor is named."""
    if found.exception == 1 or found.odds_factor.hi > MOST_SHOWN:
        return ""
    named = f"epsilon = {show_rational(found.epsilon)}"
    if not found.exception:
        return f"Why {_fold(found.odds_factor.hi)}: this is what {named} means (e to the power of epsilon)."
    plain = _fold(found.odds_factor.hi / WIDER)
    return (
        f"Why {_fold(found.odds_factor.hi)}: {named} means {plain} (e to the power of epsilon); noise that needs a "
        "delta adds a tenth, which makes exceptions this rare."
    )


def _replaced_words(found: Meaning) -> str:
    """Of a person who is known to be in the table."""
    which = "If someone is known to be in the table, what their record says is protected less"
    delta = found.replaced_delta.hi
    if delta >= 1:
        return f"{which}: nothing is promised about it."
    also = f" and delta {up(delta, 3)}" if delta else ""
    return f"{which}, as if epsilon were {show_rational(2 * found.epsilon)}{also}."


def _fold(factor: Fraction) -> str:
    shown = up(factor, 3)
    if factor > MOST_SHOWN:
        return f"by {shown} times, which hardly limits anything"
    return f"{integer_text(int(shown)) if factor >= 1000 else shown}-fold"


def chance(probability: Fraction) -> str:
    """A small probability as one case in many, rounded up; one that is not small in percent.

    >>> chance(Fraction("1.1e-8")), chance(Fraction(1, 1234)), chance(Fraction("0.3"))
    ('1 in 90 million', '1 in 1,200', '30 %')
    """
    if probability * 10 > 1:
        return percent(probability)
    if probability < _RAREST:
        return f"1 in {down(1 / probability, 2)}"
    size, word = next(((s, w) for s, w in _LARGE if probability * s <= 1), (1, ""))
    cases = down(1 / (probability * size), 2)
    return f"1 in {integer_text(int(cases)) if cases.isdigit() else cases}{word}"


def often(share: Fraction) -> str:
    """A share as a frequency, rounded up, and never to a certainty that it is not.

    >>> often(Fraction("0.7311")), often(Fraction("0.99996"))
    ('74 times in 100', '99.996 times in 100')
    """
    return f"{_hundredths(share)} times in 100"


def percent(share: Fraction) -> str:
    """A share in percent, rounded up, and never to a certainty that it is not."""
    return f"{_hundredths(share)} %"


def _hundredths(share: Fraction) -> str:
    whole = -(-100 * share // 1)
    if 10 <= whole < 100 or whole == 100 * share:
        return str(whole)
    if share < 1:
        for digits in range(2 if whole < 10 else 3, 12):
            if Fraction(text := up(100 * share, digits)) < 100:
                return text
    return "100"


def meaning_payload(found: Meaning) -> dict[str, Any]:
    """The same as JSON."""
    return {
        "epsilon": show_rational(found.epsilon),
        "dp_delta": show_rational(found.dp_delta),
        "adjacency": found.adjacency.value,
        "odds_factor": json_enclosure(found.odds_factor),
        "exception": show_rational(found.exception),
        "best_guess": json_enclosure(found.best_guess),
        "wrong_at_least": json_enclosure(found.wrong_at_least),
        "suspicion": [
            {"before": show_rational(s.before), "after_at_most": json_enclosure(s.after_at_most)}
            for s in found.suspicions
        ],
        "words": f"{meaning_words(found)} {suspicion_words(found)}",
    }
