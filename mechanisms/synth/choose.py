"""Which method makes a table if none is given: a rule on public facts, the same for every table of a schema.

With a delta it is `moments`: the noise is Gaussian, and products keep how columns go together. If there is so little
noise that tables of several columns are worth measuring, and no label asks for models that can be certified, it is
`aim`. If fitting the moments would take more than a minute, because points times squared features are too many, it is
`tree`, a tree of pairs that is fitted in a second and nearly as good. Without a delta it is the linear programme, if
its domain is small and its promised error says something, and otherwise only one-way tables. Options that only some
methods take narrow the choice. Figures: docs/methods-compared.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from bounds.enclosure import decimal_text
from bounds.errors import SynthboundsError, UsageError
from mechanisms.mechanism import Public
from mechanisms.select.settings import AIM, TREE
from mechanisms.synth.moments_plan import plan_moments
from mechanisms.synth.parameters import (
    AUTO,
    AUTOMATIC,
    INDEPENDENT,
    LP,
    MOMENTS,
    TAKEN_BY,
    require_taken,
    takers,
)
from release.statistics.cross_moments import noise_of_a_moment

MOST_POINTS = 2**18
"""Domains up to this size are solved in seconds."""
DEAR = 2 * 10**10
"""Points times squared features above which fitting the moments takes more than a minute."""
LITTLE_NOISE = 0.001
"""Deviation of a mean of products of two columns, below which models and four-column tables by AIM were best."""
MOST_COLUMNS = 30
"""AIM looks at all tables of three columns in every round."""
_POINTS = 20_000
"""Number of points that are fitted, to which two for every row are added."""


@dataclass(frozen=True)
class Choice:
    """A method and why it was chosen; `advice` says what would give more."""

    method: str
    reason: str
    advice: str | None = None


@dataclass(frozen=True, kw_only=True)
class Wish:
    """The request, as far as it may decide the method."""

    method: str
    epsilon: Fraction
    dp_delta: Fraction | None
    failure: Fraction
    options: tuple[str, ...]
    """Names of all options given."""
    label: str | None = None
    k: int | None = None


def possible(wish: Wish) -> tuple[str, ...]:
    """The methods that the options allow; options that leave none are refused by name."""
    if wish.method != AUTO:
        require_taken(wish.method, wish.options)
        return (wish.method,)
    left, deciding = takers(wish.options)
    option = (deciding or "").replace("_", "-")
    if not left:
        fits = " or ".join(TAKEN_BY[deciding or ""])
        raise UsageError(f"{option}: is for --method {fits}, which does not take the other options")
    found = left if len(left) == 1 else tuple(method for method in AUTOMATIC if method in left)
    if not found:
        raise UsageError(f"{option}: is for --method {' or '.join(left)}; say which")
    return found


def decided_by_options(wish: Wish) -> Choice | None:
    """The method, if it was given or options leave only one."""
    found = possible(wish)
    if len(found) > 1:
        return None
    if wish.method != AUTO:
        return Choice(wish.method, "asked for")
    left, deciding = takers(wish.options)
    option = (deciding or "").replace("_", "-")
    if len(left) == 1:
        return Choice(found[0], f"--{option} is an option of this method alone")
    return Choice(found[0], f"of the methods that take --{option}, the others are taken only by name")


def choose(wish: Wish, public: Public, promise: Callable[[Public], Fraction | None]) -> Choice:
    """The method, by the schema, the budget, the options and the public size alone.

    `promise` is the error that the requested linear programme promises in advance; None if that says nothing.
    """
    decided = decided_by_options(wish)
    if decided is not None:
        return decided
    left = possible(wish)
    if MOMENTS in left and wish.dp_delta is not None:
        return _with_delta(wish, wish.dp_delta, public, left)
    given = "no delta is given" if wish.dp_delta is None else "moments does not take one of the options"
    error, why_not = _programme(public, promise) if LP in left else (None, "lp does not take one of the options")
    advice = _advice(wish, public, error) if wish.dp_delta is None else None
    if error is not None:
        return Choice(LP, f"{given}, and the linear programme promises an error in advance", advice)
    return Choice(INDEPENDENT, f"{given}, and {why_not}", advice)


def _with_delta(wish: Wish, dp_delta: Fraction, public: Public, left: tuple[str, ...]) -> Choice:
    """Moments, AIM if there is little noise, or a tree of pairs if fitting the moments is too expensive."""
    plan = plan_moments(public, epsilon=wish.epsilon, dp_delta=dp_delta, label=wish.label)
    noise = noise_of_a_moment(public.schema, size=public.size, mu_squared=plan.mu_squared)
    may_be_aim = wish.label is None and AIM in takers(wish.options)[0]
    if noise <= LITTLE_NOISE and may_be_aim and _aim_is_possible(wish, dp_delta, public):
        return Choice(AIM, "a delta is given, and there is so little noise that tables of several columns are worth it")
    points = _POINTS + 2 * (public.size if wish.k is None else wish.k)
    features = plan.encoding.size
    if TREE in left and points * features**2 > DEAR:
        reason = f"a delta is given, and the fit of {features:,} features to {points:,} points would take too long"
        return Choice(TREE, reason)
    return Choice(MOMENTS, "a delta is given, so products of columns can be measured with Gaussian noise")


def _aim_is_possible(wish: Wish, dp_delta: Fraction, public: Public) -> bool:
    """Whether AIM with its defaults runs on such a schema in an acceptable time."""
    from mechanisms.select.aim_plan import plan_aim

    if len(public.schema.columns) > MOST_COLUMNS:
        return False
    try:
        plan_aim(public, epsilon=wish.epsilon, dp_delta=dp_delta, mode="simulate")
    except SynthboundsError:
        return False
    return True


def _programme(public: Public, promise: Callable[[Public], Fraction | None]) -> tuple[Fraction | None, str]:
    """The promise of the linear programme, or why it is not used."""
    if public.schema.domain.size > MOST_POINTS:
        return None, f"the domain has more than {MOST_POINTS:,} points, too many for the linear programme"
    try:
        return promise(public), "the linear programme could promise nothing here"
    except SynthboundsError as error:
        return None, f"the linear programme cannot run ({error})"


def _advice(wish: Wish, public: Public, promised: Fraction | None) -> str | None:
    """What a delta would bring, and the option for it; empty if the programme promises no larger error."""
    delta = Fraction(1, 10 ** (2 * len(str(max(public.size, 1000)))))
    plan = plan_moments(public, epsilon=wish.epsilon, dp_delta=delta)
    shares, products = plan.one_way_quantile(wish.failure / 2), plan.cross_quantile(wish.failure / 2)
    if promised is not None and promised <= max(shares, products):
        return None
    return (
        f"--dp-delta {float(delta):.0e} would allow the method moments: every share of a column measured within "
        f"{decimal_text(shares, 3, up=True)} and every product of two columns within "
        f"{decimal_text(products, 3, up=True)}, so that the table keeps how columns go together"
    )
