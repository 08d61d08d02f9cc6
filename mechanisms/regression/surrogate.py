"""Polynomials in place of a loss, so that only moments of the records are needed; public facts decide which are usable.

log(1/(1 + e^-s)) is s/2 plus an even function, so a polynomial for it on [-R, R] is s/2 plus even powers; e^s gets a
quadratic. A polynomial is usable if the maximised function is concave at every score that the class can have:
everywhere, or up to the norm bound tau, since the norm of a model bounds its scores. Coefficients are exact numbers,
and decide without rounding where the polynomial is concave or positive.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from flint import acb, fmpq_poly

from bounds.approximation.approximate import approximate
from bounds.enclosure import Enclosure, as_fmpq, decimal_text
from bounds.errors import NotApplicable, ParameterError
from bounds.exact import require_range, show_rational
from mechanisms.regression.parameters import CHEBYSHEV, LOGISTIC, MINIMAX, POISSON, PUBLISHED

KINDS = (CHEBYSHEV, MINIMAX, PUBLISHED)
REACH = {LOGISTIC: Fraction(6), POISSON: Fraction(1)}
"""Default half-width of the interval."""
MOST_DEGREE = 12
_METHODS = {CHEBYSHEV: "interpolation", MINIMAX: "minimax", PUBLISHED: "interpolation"}
_DIGITS = 40
"""Decimals to which coefficients of an interpolation are cut."""
_STEP = Fraction(1, 10**4)
"""Resolution of the largest interval of a quadratic for e^s."""


@dataclass(frozen=True, kw_only=True)
class Surrogate:
    """The polynomial sum b_m s^m that is used, and where it may be used."""

    loss: str
    kind: str
    degree: int
    reach: Fraction
    exact: tuple[Fraction, ...]
    """b_0, b_1 and so on."""
    concave_to: Fraction | None
    """For the logistic loss: concave for |s| up to here, and hardly further; None for all s."""

    @property
    def b(self) -> tuple[float, ...]:
        """The coefficients in floats."""
        return tuple(float(value) for value in self.exact)

    @property
    def factor(self) -> float:
        """The factor that turns the model of least squares into that of the logistic surrogate of degree 2."""
        return self.b[1] / (-2 * self.b[2])

    def require_tau(self, tau: Fraction | None) -> None:
        """Refuse a class of models with scores at which the polynomial cannot stand for the loss."""
        given = f"tau = {'none' if tau is None else show_rational(tau)}"
        wide = show_rational(self.reach)
        if self.loss == POISSON:
            if tau is None or tau > self.reach:
                raise NotApplicable(
                    f"{given}: must be at most {wide}, so that no score leaves [-{wide}, {wide}], where the quadratic "
                    "stands for e^s"
                )
        elif self.concave_to is not None and (tau is None or tau > self.concave_to):
            end = decimal_text(self.concave_to, 9, up=False)
            why = "it grows without bound" if self.degree % 4 == 0 else "it bends upwards"
            raise NotApplicable(
                f"{given}: must be at most {end}, where the {self.kind} polynomial of degree {self.degree} on "
                f"[-{wide}, {wide}] stops being concave; beyond that, {why}"
            )


def find_surrogate(
    loss: str,
    *,
    degree: int = 2,
    kind: str = MINIMAX,
    reach: Fraction | None = None,
    tau: Fraction | None = None,
) -> Surrogate:
    """The polynomial for models of norm at most tau, or of any norm: public facts decide whether there is one."""
    if loss not in REACH:
        raise ParameterError("loss", loss, f"one of {', '.join(REACH)}", "other losses have no surrogate")
    if kind not in KINDS:
        raise ParameterError("surrogate", kind, f"one of {', '.join(KINDS)}")
    wide = REACH[loss] if reach is None else Fraction(reach)
    require_range("reach", wide, wide, least=Fraction(1, 100), most=100, reason="half the width of an interval")
    if loss == POISSON:
        found = _poisson(kind, degree, wide)
        found.require_tau(wide if tau is None else tau)
        return found
    if degree % 2 or not 2 <= degree <= MOST_DEGREE:
        raise ParameterError(
            "degree", degree, f"even, from 2 to {MOST_DEGREE}", "odd powers other than the first do not occur"
        )
    found = _logistic(kind, degree, wide)
    found.require_tau(tau)
    return found


@cache
def _logistic(kind: str, degree: int, reach: Fraction) -> Surrogate:
    exact = _coefficients("log-sigmoid", kind, degree, reach)
    if kind == PUBLISHED:
        if degree != 2:
            raise NotApplicable(f"degree = {degree}: the published program has coefficients of degree 2")
        # coefficients of T_j(s/R), the first of them doubled, used as if they were those of s^j
        exact = (2 * exact[0] + exact[2] * reach**2, reach / 2, exact[2] * reach**2 / 2)
    return Surrogate(loss=LOGISTIC, kind=kind, degree=degree, reach=reach, exact=exact, concave_to=_concave_to(exact))


@cache
def _poisson(kind: str, degree: int, reach: Fraction) -> Surrogate:
    if kind == PUBLISHED:
        raise NotApplicable(f"surrogate = {kind}: the published program has none for e^s")
    if degree != 2:
        raise NotApplicable(f"degree = {degree}: e^s has a surrogate only of degree 2")
    exact = _coefficients("exp", kind, degree, reach)
    if not _is_positive(exact, reach):
        end = decimal_text(_positive_to(kind, reach), 5, up=False)
        raise NotApplicable(
            f"reach = {show_rational(reach)}: the {kind} quadratic for e^s is positive on [-R, R], as a rate must be, "
            f"only for R up to {end}"
        )
    return Surrogate(loss=POISSON, kind=kind, degree=degree, reach=reach, exact=exact, concave_to=None)


def _coefficients(function: str, kind: str, degree: int, reach: Fraction) -> tuple[Fraction, ...]:
    found = approximate(function, interval=(-reach, reach), degree=degree, method=_METHODS[kind])
    return tuple(_cut(value) for value in found.coefficients)


def _cut(value: Enclosure) -> Fraction:
    return value.lo if value.is_exact else round(value.midpoint, _DIGITS)


def _concave_to(exact: tuple[Fraction, ...]) -> Fraction | None:
    """A lower bound, within 1e-12, on the first s > 0 at which the second derivative vanishes."""
    bend = fmpq_poly([as_fmpq(m * (m - 1) * exact[m]) for m in range(2, len(exact))])
    if bend(0) >= 0:
        return Fraction(0)
    found: list[tuple[acb, int]] = bend.complex_roots()  # type: ignore[assignment]
    ends = [Enclosure.of(root.real).lo for root, _ in found if root.imag.contains(0) and not root.real < 0]
    if not ends:
        return None
    unit = 10**12
    return Fraction(min(ends) * unit // 1, unit)


def _is_positive(exact: tuple[Fraction, ...], reach: Fraction) -> bool:
    """Whether the quadratic, with a positive coefficient of s^2, is above 0 on [-R, R]."""
    a, b, c = exact
    lowest = max(-reach, min(reach, -b / (2 * c)))
    return c > 0 and a + b * lowest + c * lowest**2 > 0


@cache
def _positive_to(kind: str, beyond: Fraction) -> Fraction:
    """The largest R of four digits at which the quadratic is positive, by bisection: the next one is not."""
    low, high = REACH[POISSON] / _STEP, Fraction(beyond / _STEP // 1 + 1)
    while high - low > 1:
        middle = (low + high) // 2
        inside = _is_positive(_coefficients("exp", kind, 2, middle * _STEP), middle * _STEP)
        low, high = (Fraction(middle), high) if inside else (low, Fraction(middle))
    return low * _STEP
