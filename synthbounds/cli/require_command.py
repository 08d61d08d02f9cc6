"""The command about sizes: what suffices, or what n records allow."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bounds.errors import UsageError
from synthbounds.api.sizes import require, solve_for
from synthbounds.cli.outcome import Outcome, call, inputs_of

if TYPE_CHECKING:
    from bounds.sizes.requirement import Requirement


def run(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.payload import inversion_payload, requirement_payload
    from synthbounds.render.requirement import inversion_document, requirement_document
    from synthbounds.render.stated import in_form
    from synthbounds.render.stated_answers import stated_requirement

    if options.solve_for is None:
        if options.n is not None:
            raise UsageError("n is what is computed: to find what n records allow, add --solve-for accuracy or epsilon")
        answer = call(require, options)
        return Outcome(
            lambda: requirement_document(answer),
            lambda: requirement_payload(answer),
            answer=answer,
            article=lambda form: in_form(form, [stated_requirement(answer)]),
            warnings=_warnings(answer),
            inputs=inputs_of(options, files=True),
            precision=answer.precision,
        )
    if options.n is None:
        raise UsageError(f"solve-for {options.solve_for} needs --n, the number of records")
    solved = call(solve_for, options, parameter=options.solve_for)
    return Outcome(
        lambda: inversion_document(solved),
        lambda: inversion_payload(solved),
        answer=solved,
        article=lambda form: in_form(form, [stated_requirement(solved.requirement)]),
        warnings=_warnings(solved.requirement),
        inputs=inputs_of(options, files=True),
        precision=solved.requirement.precision,
    )


def _warnings(answer: Requirement) -> tuple[str, ...]:
    guarantee = answer.guarantee
    if guarantee.vacuous:
        return (f"vacuous guarantee: {guarantee.reason}",)
    if 2 * guarantee.failure_probability.lo > 1:
        return ("the promise may fail more often than it holds: a failure probability of 0.05 is --failure 0.05",)
    return ()
