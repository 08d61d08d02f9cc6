"""From one noisy gradient of the real risk to a certified bound on what any other linear model could gain.

The loss is convex, the model was fixed before the noise was drawn. Everything is on the scale of the features f: scores
are coef.f, a model's norm is sqrt(P) ||coef||. The module knows nothing about data or privacy; it needs the standard
deviation of the noise and bounds on every other error. Proof: docs/proofs/synthbounds.gradient-query.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from flint import arb, ctx

from bounds.certify.radii import noncentral_upper, normal_interval
from bounds.enclosure import Enclosure, Undecided, as_fmpq, decimal_text, with_growing_precision
from bounds.errors import NotApplicable, ParameterError
from bounds.exact import require_range

ACROSS_SHARE, LOWER_SHARE, UPPER_SHARE = Fraction(90, 100), Fraction(9, 100), Fraction(1, 100)
"""Parts of the failure probability: the gradient across w, and the two ends of its part along w. Fixed in advance."""
INTERCEPT_SHARE = Fraction(1, 20)
"""With an unpenalised intercept its part of the gradient takes this first; the rest is divided as above."""
_ANGLES = 64
_DIGITS = 12


@dataclass(frozen=True, kw_only=True)
class GradientErrors:
    """What separates the observed gradient from the true one, on the scale of f: it is true + shift + noise + grid.

    `deviation` is the standard deviation of every coordinate of Gaussian noise that is independent of everything before
    it; `shift` bounds the norm of an error that the noise does not influence; `grid` that of one that it does.
    """

    deviation: Fraction
    shift: Fraction = Fraction(0)
    grid: Fraction = Fraction(0)
    slack: Fraction = Fraction(0)
    """Added to the bound: by how much the slopes used may fail to be subgradients, in the loss."""

    def __post_init__(self) -> None:
        require_range(
            "deviation", self.deviation, self.deviation, above=0, reason="the standard deviation of the noise"
        )
        for name in ("shift", "grid", "slack"):
            require_range(name, getattr(self, name), getattr(self, name), least=0, reason="it bounds an error")


@dataclass(frozen=True, kw_only=True)
class GradientClass:
    """The models compared with: norm at most tau, or penalised by (ridge/2) norm^2, or both.

    `intercept_reach` frees the intercept, the last coefficient, from norm and penalty: it may differ from the model's
    by that much.
    """

    squared_norm: int
    """P: the squared norm of the features is at most this."""
    tau: Fraction | None = None
    ridge: Fraction = Fraction(0)
    intercept_reach: Fraction | None = None

    def __post_init__(self) -> None:
        require_range("squared_norm", self.squared_norm, self.squared_norm, least=1)
        require_range("ridge", self.ridge, self.ridge, least=0)
        if self.tau is not None:
            require_range("tau", self.tau, self.tau, least=0, reason="a norm")
        elif self.ridge == 0:
            raise ParameterError("tau", None, "given, or ridge positive", "without either no gradient bounds the gain")
        if self.intercept_reach is not None:
            require_range("intercept_reach", self.intercept_reach, self.intercept_reach, least=0)


@dataclass(frozen=True, kw_only=True)
class GradientCertificate:
    """With probability at least 1 - failure no model of the class has a real risk lower by more than `bound`."""

    bound: Fraction
    failure: Fraction
    observed: Fraction
    """The gain that the observed gradient itself would allow, rounded up; not a bound."""
    along: Enclosure
    """Minus the observed gradient in the direction of w, on the scale of x; 0 if only the whole norm is used."""
    along_lo: Fraction
    along_hi: Fraction
    across: Enclosure
    """The norm of the rest of the observed gradient."""
    across_hi: Fraction
    """Upper confidence bound of that norm for the true gradient; `shift` is still to be added to all four."""
    intercept_term: Fraction
    errors: GradientErrors
    compared: GradientClass


def gradient_certificate(
    *,
    gradient: Sequence[Fraction],
    coefficients: Sequence[Fraction],
    errors: GradientErrors,
    compared: GradientClass,
    failure: Fraction,
) -> GradientCertificate:
    """The certificate of the model with these coefficients from one noisy gradient of the risk (without penalty) there.

    The model must not depend on the noise of this gradient. Both vectors are on the scale of f, intercept last.
    """
    if len(gradient) != len(coefficients) or not coefficients:
        raise ParameterError("gradient", f"{len(gradient)} entries", f"{len(coefficients)}, one for each coefficient")
    require_range("failure", failure, failure, above=0, below=1, reason="a probability")
    inner_gradient, inner = list(gradient), list(coefficients)
    intercept_term, left = Fraction(0), Fraction(failure)
    if compared.intercept_reach is not None:
        free = abs(inner_gradient.pop())
        inner.pop()
        spread = normal_interval(failure * INTERCEPT_SHARE) * errors.deviation
        intercept_term = compared.intercept_reach * (free + spread + errors.shift + errors.grid)
        left = failure * (1 - INTERCEPT_SHARE)
    if compared.tau is None:  # only G + ridge w matters, and its norm has a confidence bound of its own
        weight = compared.ridge * compared.squared_norm
        inner_gradient = [g + weight * c for g, c in zip(inner_gradient, inner, strict=True)]
        inner = [Fraction(0)] * len(inner)
    size = sum((c * c for c in inner), Fraction(0))
    dot = sum((g * c for g, c in zip(inner_gradient, inner, strict=True)), Fraction(0))
    whole = sum((g * g for g in inner_gradient), Fraction(0))
    seen = _Observation(
        squared_size=size,
        squared_along=dot * dot / size if size else Fraction(0),
        along_sign=1 if dot < 0 else -1,
        squared_across=whole - (dot * dot / size if size else 0),
        dimension=len(inner) - 1 if size else len(inner),
    )
    return _certify(seen, errors, compared, left=left, failure=Fraction(failure), intercept_term=intercept_term)


def planned_certificate(
    *,
    dimension: int,
    norm: Fraction,
    along: Fraction,
    across: Fraction = Fraction(0),
    errors: GradientErrors,
    compared: GradientClass,
    failure: Fraction,
) -> Fraction:
    """The size of the certificate to expect, an estimate: the true gradient is guessed, the noise has its mean size.

    `along` and `across` are guesses of the true gradient's parts on the scale of x, `norm` is that of the model; all
    other quantities are public before the query.
    """
    scale, whole = compared.squared_norm, compared.tau is None
    if whole:  # as in the certificate, the norm of G + ridge w is all that matters
        across_squared, along, norm = across**2 + (along - compared.ridge * norm) ** 2, Fraction(0), Fraction(0)
    else:
        across_squared = across**2
    free = dimension if whole or norm == 0 else dimension - 1
    seen = _Observation(
        squared_size=norm * norm / scale,
        squared_along=along * along * scale,
        along_sign=1 if along >= 0 else -1,
        squared_across=across_squared * scale + free * errors.deviation**2,
        dimension=free,
    )
    found = _certify(seen, errors, compared, left=failure, failure=failure, intercept_term=Fraction(0))
    return found.bound


@dataclass(frozen=True, kw_only=True)
class _Observation:
    """All that a certificate reads of an observed gradient, exactly, on the scale of f."""

    squared_size: Fraction
    squared_along: Fraction
    along_sign: int
    squared_across: Fraction
    dimension: int
    """Of the space across w; the whole space if w is 0."""


def _certify(
    seen: _Observation,
    errors: GradientErrors,
    compared: GradientClass,
    *,
    left: Fraction,
    failure: Fraction,
    intercept_term: Fraction,
) -> GradientCertificate:
    deviation, grid = errors.deviation, errors.grid
    along, across = (
        _root(seen.squared_along, sign=seen.along_sign),
        _root(seen.squared_across),
    )
    if seen.squared_size == 0:  # no direction of its own: the whole gradient is across
        lo, hi, part = Fraction(0), Fraction(0), left
    else:
        lo = along.lo - grid - _one_sided(left * LOWER_SHARE) * deviation
        hi = along.hi + grid + _one_sided(left * UPPER_SHARE) * deviation
        part = left * ACROSS_SHARE
    across_hi = Fraction(0)
    if seen.dimension:
        ratio = Fraction(decimal_text(((across.hi + grid) / deviation) ** 2, _DIGITS + 4, up=True))
        # A draw with little noise can make the bound tiny, even 0, and then it is wrong: it is never taken below half
        # the noise's own size, which costs nothing in other draws.
        across_hi = (
            max(noncentral_upper(ratio, seen.dimension, part), _root(Fraction(seen.dimension, 4)).hi) * deviation
        )

    def worst() -> Fraction:
        return max(_gain(end, up, seen.squared_size, compared) for end, up in _corners(lo, hi, across_hi, errors.shift))

    (bound, _) = with_growing_precision(worst)
    (plain, _) = with_growing_precision(lambda: _gain(along.midpoint, across.hi, seen.squared_size, compared))
    root = _root(Fraction(1, compared.squared_norm))
    return GradientCertificate(
        bound=_up(max(bound, Fraction(0)) + intercept_term + errors.slack),
        failure=failure,
        observed=_up(max(plain, Fraction(0))),
        along=_times(along, root),
        along_lo=_times(Enclosure(lo, lo), root).lo,
        along_hi=_times(Enclosure(hi, hi), root).hi,
        across=_times(across, root),
        across_hi=_up(across_hi * root.hi),
        intercept_term=intercept_term,
        errors=errors,
        compared=compared,
    )


def _corners(lo: Fraction, hi: Fraction, across: Fraction, shift: Fraction) -> list[tuple[Fraction, Fraction]]:
    """Points whose largest gain bounds that of every point within `shift` of [lo, hi] x [0, across].

    The error has parts shift cos t along and shift sin t across, t in [0, pi/2]; on each piece of that range both are
    taken at their largest. The gain grows with the part across and is convex along, so the two ends suffice.
    """
    if shift == 0:
        return [(lo, across), (hi, across)]
    found = []
    for k in range(_ANGLES):
        # cos((k) h) and sin((k+1) h), h = pi/(2 _ANGLES): sin is the cosine of the complement
        cosine, sine = (_quarter_cosine(angle, bits=ctx.prec) for angle in (k, _ANGLES - k - 1))
        found += [(lo - shift * cosine, across + shift * sine), (hi + shift * cosine, across + shift * sine)]
    return found


@cache
def _quarter_cosine(k: int, *, bits: int) -> Fraction:
    """An upper bound of cos(pi k / (2 _ANGLES)), found at the precision in force, which has this many bits."""
    return Fraction(decimal_text(Enclosure.of(arb.cos_pi_fmpq(as_fmpq(Fraction(k, 2 * _ANGLES)))).hi, 15, up=True))


def _gain(along: Fraction, across: Fraction, squared_size: Fraction, compared: GradientClass) -> Fraction:
    """An upper bound of the largest -(G + r w).d - r ||d||^2/2 over w + d of norm at most tau, in the units of f.

    The formula of the ball is the maximum where ||G|| >= r tau, that of the penalty where not; the latter is always a
    bound.
    """
    a, b, size = arb(as_fmpq(along)), arb(as_fmpq(across)), arb(as_fmpq(squared_size)).sqrt()
    ridge = compared.ridge * compared.squared_norm
    steep = (a * a + b * b).sqrt()
    if compared.tau is not None:
        squared_tau = compared.tau**2 / compared.squared_norm
        tau = arb(as_fmpq(squared_tau)).sqrt()
        if ridge == 0 or steep >= tau * as_fmpq(ridge):
            return _finite_hi(tau * steep - a * size - as_fmpq(ridge * (squared_tau - squared_size) / 2))
    return _finite_hi(((a - size * as_fmpq(ridge)) ** 2 + b * b) / as_fmpq(2 * ridge))


def _finite_hi(x: arb) -> Fraction:
    found = Enclosure.of(x)
    if found.hi - found.lo > Fraction(1, 10**16):
        raise Undecided
    return found.hi


def _one_sided(failure: Fraction) -> Fraction:
    """z with P(N(0,1) > z) <= failure."""
    if failure >= Fraction(1, 2):
        raise NotApplicable(f"failure = {failure}: too large for a confidence bound")
    return normal_interval(2 * failure)


def _root(x: Fraction, *, sign: int = 1) -> Enclosure:
    (found, _) = with_growing_precision(lambda: Enclosure.of(arb(as_fmpq(x)).sqrt()))
    return found if sign > 0 else Enclosure(-found.hi, -found.lo)


def _times(x: Enclosure, positive: Enclosure) -> Enclosure:
    ends = [p * q for p in (x.lo, x.hi) for q in (positive.lo, positive.hi)]
    return Enclosure(min(ends), max(ends))


def _up(x: Fraction) -> Fraction:
    return Fraction(decimal_text(x, _DIGITS, up=True))
