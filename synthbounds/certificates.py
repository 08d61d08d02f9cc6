"""Certificates as files, written only after the independent checker has accepted them.

The checker may take longer here than by default: to check a very long certificate again, use `check --limit`.
"""

from __future__ import annotations

import json
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Any

from bounds.enclosure import Undecided
from bounds.errors import NotCertified, ParameterError, UsageError

if TYPE_CHECKING:
    from bounds.approximation.result import Approximation
    from lp.synthesis.question import Plan
    from lp.synthesis.run import Synthesis
    from mechanisms.infer.signs import Claim, SignsAnswer
    from mechanisms.models.certify.from_moments import ModelCertificate

MOST_CHECKED_AT_ONCE = 10**7
"""Values of queries at points that the checker evaluates in a few seconds."""
MORE_MARGINS = (Fraction(4), Fraction(64), Fraction(1024))
"""Tried after the least margin: cells get smaller with each, until the checker's intervals are narrow enough."""


def checked_certificate(found: Approximation) -> str:
    """The certificate as JSON text; never one that the checker rejects."""
    from bounds.approximation.approximation_certificate import certificate
    from bounds.approximation.cells import LEAST_MARGIN
    from verify.checkers import MOST_STEPS, Rejected, approximation

    reason = ""
    for margin in (LEAST_MARGIN, *MORE_MARGINS):
        try:
            text = json.dumps(certificate(found, margin), indent=1) + "\n"
            approximation.check(text, MOST_STEPS)
        except (Rejected, Undecided) as error:
            reason = str(error) or "smaller cells could not be closed"
        else:
            return text
    name = found.question.function.name[:60]
    raise NotCertified(f"certificate: for function = {name} the independent checker accepts none ({reason})")


_BYTES = {"code": 4, "query": 90, "weight": 22}
"""Bytes in a file for a code of a point, for a query with its target and dual weight, and for a weight."""


def require_checkable(plan: Plan) -> None:
    """Refuse, before noise is drawn, to write a proof that is too large for the checker."""
    from verify.checkers import MOST_BYTES, MOST_STEPS
    from verify.checkers.density import MOST_POINTS

    family, points = plan.question.family, plan.sizes.columns
    rows_alone = plan.product is not None and not plan.product.whole
    if plan.m is None and not rows_alone:
        if points > MOST_POINTS:
            raise UsageError(f"certificate: the checker takes domains of up to {MOST_POINTS} points, this one has more")
        return
    listed = 2 * points * _BYTES["code"] * family.domain.p + points * _BYTES["weight"] + family.count * _BYTES["query"]
    sets = [comb(family.domain.p, s) * s for s in range(1, (plan.question.degree or 1) + 1)]
    for amount, most, of in ((listed, MOST_BYTES, "bytes"), (sum(sets) * points, MOST_STEPS, "steps of work")):
        if amount > most:
            raise UsageError(
                f"certificate: for {family.count:,} queries at {points:,} points it would have about {amount:,} {of}, "
                f"and the checker takes {most:,}; give fewer {'rows (--k)' if rows_alone else 'points (--m)'}"
            )


def checked_density(found: Synthesis) -> str:
    """The proof of a programme's optimum as JSON text; if the checker is quick, never one that it rejects."""
    from verify.checkers import MOST_STEPS, Rejected, density

    note = "" if found.seed is None else "NOT A RELEASE: the targets have noise of a simulation"
    text = found.proof(note) + "\n"
    if found.columns * found.plan.question.family.count <= MOST_CHECKED_AT_ONCE:
        try:
            density.check(text, MOST_STEPS)
        except Rejected as error:
            raise NotCertified(f"certificate: the independent checker rejects it ({error})") from None
    return text


def checked_model(found: ModelCertificate) -> str:
    """The certificate of a model as JSON text; never one that the checker rejects."""
    from mechanisms.models.certify.evidence import certificate_json

    return _accepted_model(certificate_json(found))


def checked_coefficient(found: SignsAnswer, name: str, claim: Claim) -> str:
    """The proof of a coefficient's sign or end as JSON text; never one that the checker rejects."""
    return _accepted_model(found.certificate(name, claim))


def _accepted_model(body: dict[str, Any]) -> str:
    from verify.checkers import MOST_STEPS, Rejected, model

    text = _text_of(body)
    try:
        model.check(text, MOST_STEPS)
    except Rejected as error:
        raise NotCertified(f"certificate: the independent checker rejects it ({error})") from None
    return text


def checked_scores(body: dict[str, Any]) -> str:
    """The certificate of an answer as JSON text, with its claim in words; never one that the checker rejects."""
    from verify.checkers import MOST_STEPS, Rejected, score_words, scores

    text = _text_of(body | {"statement": score_words.statement(body)})
    try:
        scores.check(text, MOST_STEPS)
    except Rejected as error:
        raise NotCertified(f"certificate: the independent checker rejects it ({error})") from None
    return text


def _text_of(body: dict[str, Any]) -> str:
    """One line per field."""
    lines = (f" {json.dumps(key)}: {json.dumps(value)}" for key, value in body.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def require_checkable_loss(loss: str) -> None:
    """Refuse, before the search, a file for a loss that the checker of models does not know."""
    from bounds.certify.loss_balls import margin_function
    from verify.checkers.domination import LOSSES

    if margin_function(loss).text not in LOSSES:
        known = ", ".join(loss.name for loss in LOSSES.values())
        raise ParameterError("loss", loss, known, "the losses that the checker of a --certificate knows")
