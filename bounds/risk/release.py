"""Private marginals: the noise an edition asks for, and how far it moves the marginals."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from bounds.enclosure import Enclosure
from bounds.errors import NotApplicable
from bounds.pieces.marginal_noise import private_marginals
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.marginals import MarginalWorkload
from bounds.requirement import PrivacyStatement
from bounds.risk.answer import Noise
from bounds.risk.question import RiskQuestion
from bounds.routes import enclose_formula
from bounds.solve import enclose

_RELATIVE_BITS = 120
"""More than elsewhere: the smallest n is decided from these numbers."""


def release_values(question: RiskQuestion, order: int, epsilon: Fraction) -> dict[str, Fraction]:
    """The numbers that the noise depends on, by the names of the formulas."""
    assert question.dp_delta is not None
    assert question.failure is not None
    return {
        "features": Fraction(question.features),
        "order": Fraction(order),
        "levels": Fraction(question.levels),
        "epsilon": epsilon,
        "dp_delta": question.dp_delta,
        "failure": question.failure,
    }


def require_replace_one(question: RiskQuestion) -> None:
    if question.adjacency is not Adjacency.REPLACE_ONE:
        raise NotApplicable(
            "adjacency = add-remove: the bounds on private releases need a public n, which replace-one has"
        )


def nu_of(question: RiskQuestion, order: int, epsilon: Fraction) -> Enclosure:
    """L1 distance of the marginals in counts, except with the failure probability."""
    return _nu(question.edition, tuple(sorted(release_values(question, order, epsilon).items())))


@lru_cache(maxsize=4096)
def _nu(edition: str, values: tuple[tuple[str, Fraction], ...]) -> Enclosure:
    return _enclosed("nu", edition, dict(values))


def _enclosed(name: str, edition: str, values: Mapping[str, Fraction]) -> Enclosure:
    from bounds.arithmetic.ball import BALL
    from bounds.routes import quantities

    derived = private_marginals(edition)
    return enclose(
        lambda: next(d.formula for d in derived if d.name == name)(quantities(derived, values), BALL),
        relative_bits=_RELATIVE_BITS,
    )


def marginal_release(question: RiskQuestion, order: int, epsilon: Fraction) -> Noise:
    """Everything about the release of marginals of this order."""
    values = release_values(question, order, epsilon)
    derived = private_marginals(question.edition)
    sd = enclose_formula(lambda q, A: q.noise_sd, derived, values)
    exactly = question.edition == "sharp"
    workload = MarginalWorkload(attributes=question.features + 1, order=order, exactly=exactly)
    sensitivity = workload.l2(adjacency=Adjacency.REPLACE_ONE)
    assert question.dp_delta is not None
    assert question.failure is not None
    return Noise(
        privacy=PrivacyStatement(
            epsilon=Enclosure.of(epsilon),
            dp_delta=Enclosure.of(question.dp_delta),
            adjacency=Adjacency.REPLACE_ONE,
            sensitivity=f"{workload.text} together move by at most sqrt({sensitivity.squared}) in L2",
            least_public_size=None,
            mechanism="analytic Gaussian noise" if exactly else "classical Gaussian noise",
        ),
        sd=(("every cell", sd),),
        nu=nu_of(question, order, epsilon),
        failure=question.failure,
    )
