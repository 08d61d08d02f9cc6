"""Private first and second moments instead of marginals: the best polynomial of degree 2 and the best share of noise.

Every polynomial and every share gives a valid bound; a fixed list of both is tried, and the least value is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from bounds.enclosure import BallNumber, Enclosure, Undecided, as_fmpq
from bounds.errors import NotApplicable, NotCertified, UsageError
from bounds.exact import show_rational
from bounds.pieces.noisy_moments import MOMENTS
from bounds.privacy.adjacency import Adjacency
from bounds.registry import find_theorem
from bounds.risk.answer import ANY_MODEL, Noise, OrderTried, Required
from bounds.risk.loss import Loss
from bounds.risk.polynomials import RiskPolynomial, loss_itself, of_method, optimal_at
from bounds.risk.question import RiskQuestion
from bounds.risk.sharp import Part, RiskBound, no_data
from bounds.risk.tables import Tables
from bounds.sizes.requirement import PrivacyStatement
from bounds.sizes.routes import enclose_formula, quantities
from bounds.solve import IntegerCertificate, smallest_integer_at_least

_SHARES = tuple(Fraction(j, 16) for j in range(13))
_LADDER = tuple(Fraction(1, 10**k) for k in range(1, 6))
_ROUTE = "noisy moments"
MOMENTS_ID = "synthbounds.noisy-moments"


@lru_cache(maxsize=64)
def _polynomials(loss: Loss) -> tuple[RiskPolynomial, ...]:
    itself = loss_itself(loss, 2)
    if itself is not None:
        return (itself,)
    found = [of_method(loss, 2, "minimax")]
    for s in _LADDER:
        with suppress(NotCertified, Undecided):
            found.append(optimal_at(loss, 2, s))
    return tuple(found)


def _values(
    question: RiskQuestion, polynomial: RiskPolynomial, *, share: Fraction, epsilon: Fraction, n: int
) -> dict[str, Fraction]:
    assert question.dp_delta is not None
    assert question.failure is not None
    values = {
        "features": Fraction(question.features),
        "n": Fraction(n),
        "epsilon": epsilon,
        "dp_delta": question.dp_delta,
        "failure": question.failure,
        "oscillation": polynomial.oscillation.hi,
        "linear_cost": polynomial.scaled(1),
        "quadratic_cost": polynomial.scaled(2),
        "split": share,
    }
    return {**values, "optimisation_gap": question.gap} if question.gap else values


def _require_no_intercept(question: RiskQuestion) -> None:
    if question.intercept:
        raise UsageError("intercept: for moments count it as one more feature, always 1, and leave --intercept out")


@dataclass(frozen=True)
class MomentsChoice:
    """The bound, and the numbers of the polynomial and the share that give it."""

    bound: RiskBound
    values: Mapping[str, Fraction]


@lru_cache(maxsize=64)
def moments_choice(question: RiskQuestion, *, n: int, epsilon: Fraction) -> MomentsChoice:
    """The least bound over the list at n records."""
    _require_no_intercept(question)
    route = find_theorem(MOMENTS_ID).editions[0].routes[0]
    tried = []
    for polynomial in _polynomials(question.loss):
        for share in _SHARES:
            values = _values(question, polynomial, share=share, epsilon=epsilon, n=n)
            tried.append((enclose_formula(route.terms[0].formula, MOMENTS, values), polynomial, values))
    value, polynomial, values = min(tried, key=lambda t: t[0].hi)
    least = min(t[0].lo for t in tried)
    parts = [Part(t.name, enclose_formula(t.formula, MOMENTS, values)) for t in route.terms[1:]]
    if question.gap:
        parts.append(Part("optimisation", Enclosure.of(question.gap)))
    bound = RiskBound(_ROUTE, Enclosure(least, value.hi), tuple(parts), polynomial, None, MOMENTS_ID)
    trivial = no_data(question.loss)
    return MomentsChoice(bound if bound.value.hi < trivial.value.hi else trivial, values)


def moments_noise(question: RiskQuestion, choice: MomentsChoice) -> Noise:
    m = question.features
    first = ("every sum of x_i y", enclose_formula(lambda q, A: q.sigma_1, MOMENTS, choice.values))
    second = ("every sum of x_i x_j", enclose_formula(lambda q, A: q.sigma_2, MOMENTS, choice.values))
    assert question.dp_delta is not None
    assert question.failure is not None
    return Noise(
        privacy=PrivacyStatement(
            epsilon=Enclosure.of(choice.values["epsilon"]),
            dp_delta=Enclosure.of(question.dp_delta),
            adjacency=Adjacency.REPLACE_ONE,
            sensitivity=_sensitivity(m),
            least_public_size=None,
            mechanism="analytic Gaussian noise",
        ),
        sd=(first, second) if m > 1 else (first,),
        nu=None,
        failure=question.failure,
    )


def _sensitivity(m: int) -> str:
    if m == 1:
        return "the sum of x y moves by at most 2"
    return (
        f"the {m} sums of x_i y move by at most 2 sqrt({m}) and the {m * (m - 1) // 2:,} sums of "
        f"x_i x_j by at most {m} in L2, calibrated together"
    )


def moments_target(question: RiskQuestion, epsilon: Fraction) -> Required:
    """approximation + 4 N/n <= target, solved for n for every entry of the list; the least is taken."""
    _require_no_intercept(question)
    assert question.target is not None
    target = question.target
    if target >= question.loss.oscillation.hi:
        nothing = IntegerCertificate(1, Enclosure.of(target - question.loss.oscillation.hi), None, 0)
        return Required(target, nothing, (OrderTried(Tables(question.features, 2), 1, "no data"),), ANY_MODEL)
    best: IntegerCertificate | None = None
    for polynomial in _polynomials(question.loss):
        left = target - question.gap - 2 * polynomial.oscillation.hi
        if left <= 0:
            continue
        for share in _SHARES:
            values = _values(question, polynomial, share=share, epsilon=epsilon, n=1)

            def threshold(values: dict[str, Fraction] = values, left: Fraction = left) -> BallNumber:
                number: BallNumber = 4 * quantities(MOMENTS, values).deviation / as_fmpq(left)
                return number

            certificate, _ = smallest_integer_at_least(threshold)
            if best is None or certificate.value < best.value:
                best = certificate
    if best is None:
        raise NotApplicable(
            f"target = {show_rational(target)}: no number of records is enough; moments carry degree 2 and its "
            "approximation alone costs more"
        )
    scope = "no polynomial and share of noise of the list reaches it with one fewer"
    return Required(target, best, (OrderTried(Tables(question.features, 2), best.value, _ROUTE),), scope)
