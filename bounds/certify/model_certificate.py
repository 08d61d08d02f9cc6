"""The certificate of a model as JSON: everything an independent checker needs to prove the bound again.

The format is described in docs/certificates.md. Numbers are text, exactly: integers, fractions, m/2^k or decimals; only
the bound is rounded, up. Nothing is proved here, and a file contains nothing of the real table but the noisy sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from bounds.approximation.approximation_certificate import number_text
from bounds.certify.classes import INSIDE, ModelClass
from bounds.certify.contraction import contraction_witness
from bounds.certify.excess import Certified
from bounds.certify.loss_balls import margin_function
from bounds.certify.problem import HalfSpace, Matrix, Problem
from bounds.enclosure import decimal_text
from bounds.errors import NotApplicable

MODEL = "model"
VERSION = 1
_DIGITS = 12
_MOST_PLACES = 25
_NAME = 60


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What a bound rests on besides its proof: the noisy sums, their noise, the features, and their names."""

    adjacency: str
    size: int
    """The divisor of sums: the public number of records, or a number near the private one."""
    bits: int
    label_bits: int
    """Labels are integers over 2^label_bits: 0 if they are +1 and -1."""
    blocks: tuple[tuple[tuple[int, ...], ...], ...]
    """For each column that has some and each of its codes the features, as integers over 2^bits."""
    first: tuple[int, ...]
    second: tuple[tuple[int, ...], ...]
    """Row j holds the products of feature j with itself and all later ones."""
    fourth: tuple[int, ...] | None
    noise: tuple[Fraction, ...]
    """Deviations of the sums: first, second on and off the diagonal, fourth by multiplicity 1, 4, 6, 12, 24."""
    failures: tuple[Fraction, ...]
    """Probabilities that a radius fails: of first, second and weighted moments."""
    beta: Fraction
    release: str
    model: str
    feature_map: str
    note: str = ""


def model_certificate(
    found: Certified, compared_with: ModelClass, evidence: Evidence, *, name: str = ""
) -> dict[str, Any]:
    """The file of a bound; fourth moments are left out if the bound does not use them.

    For a half-space the bound must be below 0, and the claim is about the coefficient of that `name`.
    """
    problem, shape, multipliers = found.problem, found.shape, found.multipliers
    known, compared = problem.known, problem.compared
    weighted = shape.weighted is not None
    failures = evidence.failures if weighted else evidence.failures[:2]
    radii = (known.first_radius, known.second_radius, known.weighted_radius)[: len(failures)]
    near = compared.reach - max(abs(end) for end in problem.scores) if compared.balls[0].around_model else None
    bound = f"{Decimal(decimal_text(found.value, _DIGITS, up=True)):f}"
    if compared.half is None:
        said = statement(compared_with, bound=(bound := bound if found.value > 0 else "0"), beta=evidence.beta)
    elif found.value < 0:
        said = half_statement(compared_with, compared.half, dimension=known.dimension, beta=evidence.beta, name=name)
    else:
        raise NotApplicable(f"certificate: that the coefficient of {name[:60]} is beyond the threshold is not certain")
    return {
        "certificate": MODEL,
        "version": VERSION,
        "note": evidence.note,
        "statement": said,
        "bound": bound,
        "beta": exact_text(evidence.beta),
        "loss": margin_function(problem.loss).text,
        "tau": _optional(compared_with.tau),
        "ridge": _optional(compared_with.ridge),
        "intercept": compared_with.intercept,
        "near": _optional(near),
        "reach": number_text(compared.reach),
        "balls": [number_text(ball.squared_radius) for ball in compared.balls],
        "model": evidence.model,
        "coefficients": [number_text(x) for x in problem.model],
        "feature_map": evidence.feature_map,
        "squared_norm": known.squared_norm,
        "bits": evidence.bits,
        **({"label_bits": evidence.label_bits} if evidence.label_bits else {}),
        "blocks": [[list(features) for features in block] for block in evidence.blocks],
        "release": evidence.release,
        "adjacency": evidence.adjacency,
        "size": evidence.size,
        "first": [str(x) for x in evidence.first],
        "second": [[str(x) for x in row] for row in evidence.second],
        "fourth": [str(x) for x in evidence.fourth] if weighted and evidence.fourth is not None else None,
        "noise": [number_text(x) for x in (evidence.noise if weighted else evidence.noise[:3])],
        "failures": [number_text(x) for x in failures],
        "radii": [number_text(x) for x in radii],
        "contraction": _contraction(known.dimension, failures[2]) if weighted else None,
        "feature": _feature(problem),
        "constant": number_text(shape.constant),
        "label": [number_text(x) for x in shape.label],
        "forms": [_matrix(form) for form in shape.forms()],
        "excess": number_text(found.excess.upper),
        "absolute": [_matrix(form) for form in multipliers.absolute],
        "label_scale": number_text(multipliers.label_scale),
        "ball_multipliers": [number_text(x) for x in multipliers.balls],
        **({} if compared.half is None else {"half": _half(compared.half, multipliers.half, name)}),
    }


def statement(compared_with: ModelClass, *, bound: str, beta: Fraction) -> str:
    """What is certified, in one sentence; the checker writes its own and compares."""
    models, loss = _models_and_loss(compared_with)
    return (
        f"Except with probability at most {exact_text(beta)}, no linear model{models} has a {loss} on the real table "
        f"that is smaller than that of the certified model by more than {bound}."
    )


def half_statement(
    compared_with: ModelClass, half: HalfSpace, *, dimension: int, beta: Fraction, name: str = ""
) -> str:
    """The same for a coefficient, by its name and its place from 0."""
    models, loss = _models_and_loss(compared_with)
    last = half.feature == dimension - 1
    which = "an intercept" if last else f"a coefficient of {_shown(name)} (place {half.feature})"
    side = "greater" if half.sign == 1 else "less"
    return (
        f"Except with probability at most {exact_text(beta)}, every linear model{models} that has the least {loss} on "
        f"the real table among these has {which} {side} than {exact_text(half.threshold)}."
    )


def _shown(name: str) -> str:
    """A name on one short line, as the checker writes it."""
    line = repr(name[:_NAME])
    return line if len(line) <= _NAME else f"{line[: _NAME - 3]}..."


def _half(half: HalfSpace, multiplier: Fraction, name: str) -> dict[str, Any]:
    return {
        "coefficient": half.feature,
        "name": name,
        "sign": half.sign,
        "threshold": exact_text(half.threshold),
        "multiplier": number_text(multiplier),
    }


def _models_and_loss(compared_with: ModelClass) -> tuple[str, str]:
    models = "" if compared_with.tau is None else f" of norm at most {exact_text(compared_with.tau)}"
    counted = "" if compared_with.intercept == INSIDE else ", intercept not counted,"
    ridge = compared_with.ridge
    penalty = "" if ridge is None else f" plus {exact_text(ridge)}/2 times its squared norm"
    return f"{models}{counted}", f"mean {compared_with.loss} loss{penalty}"


def exact_text(value: Fraction) -> str:
    """A short decimal if there is one, else a fraction; never rounded.

    >>> exact_text(Fraction(1, 20)), exact_text(Fraction(-5, 2)), exact_text(Fraction(1, 3)), exact_text(Fraction(7))
    ('0.05', '-2.5', '1/3', '7')
    """
    for places in range(_MOST_PLACES):
        if (value * 10**places).denominator == 1:
            return f"{Decimal(int(value * 10**places)).scaleb(-places):f}"
    return str(value)


def _feature(problem: Problem) -> int | None:
    """Which feature divides the records; the checker finds its values and the scores at each."""
    direction = problem.direction
    if direction is None:
        return None
    if not problem.groups or sorted(direction) != [Fraction(0)] * (len(direction) - 1) + [Fraction(1)]:
        raise NotApplicable("certificate: not for bounds with a direction that is not a feature with few values")
    return direction.index(Fraction(1))


def _contraction(dimension: int, failure: Fraction) -> list[str]:
    witness = contraction_witness(dimension, failure)
    if not any(witness):
        raise NotApplicable(
            "certificate: for a beta this small and this few features the checker has no proof of the radius"
        )
    return [number_text(x) for x in witness]


def _optional(value: Fraction | None) -> str | None:
    return None if value is None else exact_text(value)


def _matrix(matrix: Matrix) -> list[list[str]]:
    return [[number_text(x) for x in row] for row in matrix]
