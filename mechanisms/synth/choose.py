"""Which method makes a table, where nobody says: a rule on public facts, the same for every table of a schema.

With a delta the moments: their noise is Gaussian, and a law of products keeps how columns go together. Without one the
linear programme, where its domain is small and it can promise an error that says something; else one-way tables alone.
Options that only some methods take narrow the choice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from bounds.enclosure import decimal_text
from bounds.errors import SynthboundsError, UsageError
from mechanisms.mechanism import Public
from mechanisms.synth.moments_plan import plan_moments
from mechanisms.synth.parameters import AUTO, INDEPENDENT, LP, MOMENTS, TAKEN_BY, require_taken, takers

MOST_POINTS = 2**18
"""Domains up to this size are solved in seconds."""


@dataclass(frozen=True)
class Choice:
    """A method and why it was taken; `advice` is what would give more."""

    method: str
    reason: str
    advice: str | None = None


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What was asked for, as far as it may decide the method."""

    method: str
    epsilon: Fraction
    dp_delta: Fraction | None
    failure: Fraction
    options: tuple[str, ...]
    """Names of everything that was said."""


def decided_by_options(wish: Wish) -> Choice | None:
    """The method, where it was said or one alone takes all options; refused, by name, where none does."""
    if wish.method != AUTO:
        require_taken(wish.method, wish.options)
        return Choice(wish.method, "asked for")
    left, deciding = takers(wish.options)
    option = "" if deciding is None else deciding.replace("_", "-")
    if not left:
        fits = " or ".join(TAKEN_BY[deciding or ""])
        raise UsageError(f"{option}: is for --method {fits}, which does not take the other options")
    if len(left) == 1:
        return Choice(left[0], f"--{option} is an option of this method alone")
    if wish.dp_delta is not None and MOMENTS in left:
        return Choice(MOMENTS, "a delta is given, so that products of columns can be had with Gaussian noise")
    return None


def choose(wish: Wish, public: Public, promise: Callable[[Public], Fraction | None]) -> Choice:
    """The method, by the schema, the budget, the options and the public size alone.

    `promise` is the error that the linear programme as asked for promises in advance; None where that says nothing.
    """
    decided = decided_by_options(wish)
    if decided is not None:
        return decided
    left, _ = takers(wish.options)
    given = "no delta is given" if wish.dp_delta is None else "an option is not one of moments"
    error, why_not = _programme(public, promise) if LP in left else (None, "an option is not one of the programme")
    advice = _advice(wish, public, error) if wish.dp_delta is None else None
    if error is not None:
        return Choice(LP, f"{given}, and the linear programme promises an error in advance", advice)
    return Choice(INDEPENDENT, f"{given}, and {why_not}", advice)


def _programme(public: Public, promise: Callable[[Public], Fraction | None]) -> tuple[Fraction | None, str]:
    """What the linear programme promises, or why it is not taken."""
    if public.schema.domain.size > MOST_POINTS:
        return None, f"the domain has more than {MOST_POINTS:,} points, too many for the linear programme"
    try:
        return promise(public), "the linear programme could promise nothing here"
    except SynthboundsError as error:
        return None, f"the linear programme cannot be had ({error})"


def _advice(wish: Wish, public: Public, promised: Fraction | None) -> str | None:
    """What a delta would buy, with the option to give; nothing where the programme promises no larger error."""
    delta = Fraction(1, 10 ** (2 * len(str(max(public.size, 1000)))))
    plan = plan_moments(public, epsilon=wish.epsilon, dp_delta=delta)
    shares, products = plan.one_way_quantile(wish.failure / 2), plan.cross_quantile(wish.failure / 2)
    if promised is not None and promised <= max(shares, products):
        return None
    return (
        f"--dp-delta {float(delta):.0e} buys the method moments: every share of a column measured within "
        f"{decimal_text(shares, 3, up=True)} and every product of two columns within "
        f"{decimal_text(products, 3, up=True)}, so that the table keeps how columns go together"
    )
