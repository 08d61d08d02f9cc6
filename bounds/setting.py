"""A validated problem: everything the user gave, exact, with the family of queries it describes.

This is the only way into the theorems that ask for n, m and k. Values are checked here against what they may
be anywhere; what a single theorem asks beyond that is one of its hypotheses.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import floor, log10

from bounds.errors import ParameterError, UsageError
from bounds.exact import parse_integer, parse_rational, require_range
from bounds.pieces.noise import MECHANISMS
from bounds.pieces.rows import LABELS as ROW_LABELS
from bounds.quantities import Choices
from bounds.queries import MOST_DIGITS, QueryFamily, bounded, family_of_degree

LEAST_POSITIVE = Fraction(1, 10**100)
MOST_EPSILON = 1000
MOST_ATTRIBUTES = 10**9
MOST_CONTINUOUS_ATTRIBUTES = 3000
MOST_LEVELS = 10**6


class Adjacency(Enum):
    """Which pairs of data sets a privacy statement compares."""

    REPLACE_ONE = "replace-one"
    ADD_REMOVE = "add-remove"


MEASURES = ("uniform", "histogram", "kde", "custom")
RELEASES = ("rows", "density")

_RATIONAL_RANGES: dict[str, dict[str, object]] = {
    "epsilon": {"least": Fraction(1, 10**12), "most": MOST_EPSILON, "reason": "privacy parameter"},
    "dp_delta": {"least": LEAST_POSITIVE, "below": 1, "reason": "privacy parameter, not the accuracy delta"},
    "delta": {"least": LEAST_POSITIVE, "most": 1000, "reason": "accuracy parameter; the promise is 8 delta"},
    "gamma": {"least": LEAST_POSITIVE, "below": 1, "reason": "failure parameter"},
    "tau": {"above": 0, "most": 1, "reason": "a density on the unit cube has infimum at most 1"},
    "lipschitz": {"least": 0, "most": 10**12, "reason": "Lipschitz constant of the density"},
    "density_max": {"least": 1, "most": 10**300, "reason": "a density on the unit cube has supremum at least 1"},
    "kappa": {"least": 1, "most": 10**300, "reason": "a Rényi condition number is at least 1"},
}
_INTEGER_RANGES: dict[str, dict[str, object]] = {
    "p": {"least": 1, "most": MOST_ATTRIBUTES, "reason": "number of attributes"},
    "t": {"least": 2, "most": MOST_LEVELS, "reason": "levels of each attribute"},
    "degree": {"least": 1, "most": MOST_ATTRIBUTES, "reason": "most attributes in one query"},
    "queries": {"least": 1, "below": 10**MOST_DIGITS, "reason": "number of queries"},
    "k": {"least": 1, "below": 10**MOST_DIGITS, "reason": "number of synthetic records"},
}


@dataclass(frozen=True)
class Setting:
    """Exact parameters of one question; None where nothing was given."""

    p: int
    t: int
    family: QueryFamily
    degree: int | None = None
    continuous: bool = False
    epsilon: Fraction | None = None
    delta: Fraction | None = None
    gamma: Fraction | None = None
    dp_delta: Fraction | None = None
    tau1: Fraction | None = None
    tau2: Fraction | None = None
    tau: Fraction | None = None
    lipschitz: Fraction | None = None
    density_max: Fraction | None = None
    kappa: Fraction | None = None
    k: int | None = None
    adjacency: Adjacency = Adjacency.REPLACE_ONE
    release: str = "rows"
    mechanism: str | None = None
    rows: str | None = None

    @property
    def domain_size(self) -> int | None:
        return None if self.continuous else self.t**self.p

    def base_values(self) -> dict[str, Fraction]:
        """Name to exact value of every quantity that is known before any theorem is applied."""
        family = self.family
        known: dict[str, Fraction | int | None] = {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "gamma": self.gamma,
            "dp_delta": self.dp_delta,
            "p": self.p,
            "t": self.t,
            "degree": self.degree,
            "N": self.domain_size,
            "F": family.total,
            "F_varying": family.varying,
            "R": family.range_width,
            "Delta_1": family.l1_sensitivity,
            "Delta_2_squared": family.l2_sensitivity_squared,
            "rank": family.dimension,
            "packing": family.packing,
            "steps": family.one_way_steps,
            "s": 2 if self.adjacency is Adjacency.REPLACE_ONE else 1,
            "tau1": self.tau1,
            "tau2": self.tau2,
            "tau": self.tau,
            "L": self.lipschitz,
            "nu_max": self.density_max,
            "K": self.kappa,
            "k": self.k,
        }
        return {name: Fraction(value) for name, value in known.items() if value is not None}

    def choices(self, mechanisms: tuple[str, ...], rows: tuple[str, ...]) -> Choices:
        """The mechanisms and row constructions that both a route and the user allow."""
        density = self.release == "density"
        allowed = tuple(
            name
            for name in mechanisms
            if self.mechanism in (None, name) and (self.dp_delta is not None or not MECHANISMS[name].needs_dp_delta)
        )
        return Choices(
            mechanisms=allowed,
            rows=() if density else tuple(name for name in rows if self.rows in (None, name)),
            k_given=self.k is not None,
            density_released=density,
            exchanges_records=self.adjacency is Adjacency.REPLACE_ONE,
        )


def build_setting(*, continuous: bool = False, **raw: object) -> Setting:
    """Parse and check raw values (text, integers, fractions); None means not given.

    `accuracy` and `failure` may stand for delta = accuracy/8 and gamma = failure/4.
    """
    raw = {name: value for name, value in raw.items() if value is not None}
    exact = {name: _rational(name, raw.pop(name)) for name in _RATIONAL_RANGES if name in raw}
    counts = {name: _integer(name, raw.pop(name)) for name in _INTEGER_RANGES if name in raw}
    _accept_promises(raw, exact)
    p, t = counts.get("p"), counts.get("t", 2)
    if p is None:
        raise UsageError("p is missing: give the number of attributes (--p)")
    _require_size(p, t, continuous)
    family = _family(raw, counts, p, t)
    bounds = {} if continuous else _cell_bounds(raw, t**p)
    if raw.get("adjacency") == "add/remove":
        raw["adjacency"] = Adjacency.ADD_REMOVE
    adjacency = _choice(raw, "adjacency", tuple(a.value for a in Adjacency)) or "replace-one"
    setting = Setting(
        p=p,
        t=t,
        family=family,
        degree=counts.get("degree"),
        continuous=continuous,
        adjacency=Adjacency(adjacency),
        release=_choice(raw, "release", RELEASES) or "rows",
        mechanism=_choice(raw, "mechanism", tuple(MECHANISMS)),
        rows=_choice(raw, "rows", tuple(ROW_LABELS)),
        k=counts.get("k"),
        **exact,
        **bounds,
    )
    if raw:
        raise UsageError(f"{sorted(raw)[0]} is not a parameter here")
    _require_consistent(setting)
    return setting


def _rational(name: str, value: object) -> Fraction:
    number = parse_rational(value, name)
    require_range(name, number, value, **_RATIONAL_RANGES[name])  # type: ignore[arg-type]
    return number


def _integer(name: str, value: object) -> int:
    number = parse_integer(value, name)
    require_range(name, number, value, **_INTEGER_RANGES[name])  # type: ignore[arg-type]
    return number


def _accept_promises(raw: dict[str, object], exact: dict[str, Fraction]) -> None:
    """Translate the promise a user thinks in, accuracy and failure, into delta and gamma."""
    for promise, parameter, factor, most in (("accuracy", "delta", 8, 8000), ("failure", "gamma", 4, 1)):
        if promise not in raw:
            continue
        if parameter in exact:
            raise UsageError(f"give {promise} or {parameter}, not both: {promise} is {factor} {parameter}")
        value = raw.pop(promise)
        number = parse_rational(value, promise)
        require_range(promise, number, value, least=LEAST_POSITIVE, most=most, reason=f"{factor} {parameter}")
        exact[parameter] = number / factor


def _require_size(p: int, t: int, continuous: bool) -> None:
    """Refuse domains whose size could not even be written down, before anything large is computed."""
    if continuous:
        require_range("p", p, p, most=MOST_CONTINUOUS_ATTRIBUTES, reason="attributes of a continuous domain")
        return
    digits = floor(p * log10(t)) + 1
    if digits > MOST_DIGITS:
        allowed = f"such that |Omega| = t^p has at most {MOST_DIGITS} digits"
        raise ParameterError("p", p, allowed, f"with t = {t} it has {digits} digits")


def _family(raw: dict[str, object], counts: dict[str, int], p: int, t: int) -> QueryFamily:
    name = raw.pop("family", None)
    if "queries" in counts:
        if "degree" in counts:
            raise UsageError("give --degree D or --queries F, not both: the degree already says how many queries")
        if name is not None:
            raise UsageError("give --family with --degree, not with --queries: F arbitrary queries have no family")
        return bounded(counts["queries"])
    if "degree" not in counts:
        raise UsageError("degree is missing: give --degree D (queries on at most D attributes) or --queries F")
    return family_of_degree(str(name or "monomials"), p, t, counts["degree"])


def _cell_bounds(raw: dict[str, object], size: int) -> dict[str, Fraction]:
    """Least and largest probability of a domain point."""
    found: dict[str, Fraction] = {}
    for name, low, high in (
        ("tau1", Fraction(0), Fraction(1, size)),
        ("tau2", Fraction(1, size), Fraction(1)),
    ):
        if name not in raw:
            continue
        value = raw.pop(name)
        number = parse_rational(value, name)
        reason = "the least and the largest of |Omega| probabilities lie on either side of 1/|Omega|"
        if name == "tau1":
            require_range(name, number, value, above=low, most=high, reason=reason)
        else:
            require_range(name, number, value, least=low, most=high, reason=reason)
        found[name] = number
    return found


def _choice(raw: dict[str, object], name: str, allowed: tuple[str, ...]) -> str | None:
    value = raw.pop(name, None)
    if value is None:
        return None
    if isinstance(value, Enum):
        value = value.value
    if value not in allowed:
        raise ParameterError(name, value, "one of " + ", ".join(allowed))
    return str(value)


def _require_consistent(setting: Setting) -> None:
    if setting.mechanism == "gaussian" and setting.dp_delta is None:
        raise UsageError("mechanism gaussian needs --dp-delta: Gaussian noise is not private with epsilon alone")
    if setting.release == "density" and setting.k is not None:
        raise UsageError("give --k or --release density, not both: a density has no synthetic records")
    if setting.release == "density" and setting.rows is not None:
        raise UsageError("give --rows or --release density, not both: a density has no synthetic records")
    if (setting.tau1 is None) != (setting.tau2 is None) and setting.tau2 is not None:
        raise UsageError("tau2 needs tau1: give both, or none for a uniform nu")
    if setting.tau is not None and setting.density_max is not None and setting.density_max < setting.tau:
        raise ParameterError("density_max", setting.density_max, f"at least tau = {setting.tau}")
