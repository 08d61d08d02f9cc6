"""Private marginals: the noise an edition requires, and how far it moves the marginals."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from bounds.arithmetic.ball import BALL
from bounds.enclosure import Enclosure, as_fmpq
from bounds.errors import NotApplicable
from bounds.pieces.marginal_noise import private_marginals
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.sensitivity import Sensitivity
from bounds.risk.answer import Noise
from bounds.risk.question import RiskQuestion
from bounds.risk.tables import Tables
from bounds.sizes.requirement import PrivacyStatement
from bounds.sizes.routes import enclose_formula, quantities
from bounds.solve import enclose

_RELATIVE_BITS = 120
"""More than elsewhere: the smallest n is decided from these numbers."""


def release_values(question: RiskQuestion, tables: Tables, epsilon: Fraction) -> dict[str, Fraction]:
    """The numbers that the noise depends on, by the names of the formulas."""
    assert question.dp_delta is not None
    assert question.failure is not None
    return {
        "features": Fraction(question.features),
        "order": Fraction(tables.order),
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


def nu_of(question: RiskQuestion, tables: Tables, epsilon: Fraction) -> Enclosure:
    """L1 distance of the marginals in counts, except with the failure probability."""
    return _nu(_kind(question, tables), tuple(sorted(release_values(question, tables, epsilon).items())))


def _kind(question: RiskQuestion, tables: Tables) -> str:
    """The formulas of the edition, or those for paired labels."""
    return "paired" if tables.paired else question.edition


@lru_cache(maxsize=4096)
def _nu(kind: str, values: tuple[tuple[str, Fraction], ...]) -> Enclosure:
    known = dict(values)
    return enclose(lambda: quantities(private_marginals(kind), known).nu, relative_bits=_RELATIVE_BITS)


def marginal_release(question: RiskQuestion, tables: Tables, epsilon: Fraction) -> Noise:
    """Everything about the release of these marginals."""
    values = release_values(question, tables, epsilon)
    derived = private_marginals(_kind(question, tables))
    sd = enclose_formula(lambda q, A: q.noise_sd, derived, values)
    sharp = question.edition == "sharp"
    sensitivity = tables.sensitivity(adjacency=Adjacency.REPLACE_ONE, exactly=sharp)
    assert question.dp_delta is not None
    assert question.failure is not None
    return Noise(
        privacy=PrivacyStatement(
            epsilon=Enclosure.of(epsilon),
            dp_delta=Enclosure.of(question.dp_delta),
            adjacency=Adjacency.REPLACE_ONE,
            sensitivity=f"{sensitivity.text} together move by at most sqrt({sensitivity.squared}) in L2",
            least_public_size=None,
            mechanism="analytic Gaussian noise" if sharp else "classical Gaussian noise",
        ),
        sd=(("every cell", sd),),
        nu=nu_of(question, tables, epsilon),
        failure=question.failure,
        is_private=sharp or _is_private(sd, sensitivity, epsilon, question.dp_delta),
    )


def _is_private(sd: Enclosure, sensitivity: Sensitivity, epsilon: Fraction, dp_delta: Fraction) -> bool:
    """Is the standard deviation at least what the exact Gaussian mechanism needs?"""
    needed = enclose(
        lambda: sensitivity.ball() * BALL.gaussian_factor(as_fmpq(epsilon), as_fmpq(dp_delta)),
    )
    return sd.lo >= needed.hi
