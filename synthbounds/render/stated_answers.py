"""Answers by a theorem as statements for an article."""

from __future__ import annotations

from collections.abc import Sequence

from bounds.enclosure import Enclosure
from bounds.exact import show_rational
from bounds.latex_names import latex_name
from bounds.risk.answer import RiskAnswer
from bounds.sizes.requirement import HypothesisResult, PrivacyStatement, Requirement
from synthbounds.render.latex_prose import prose
from synthbounds.render.numbers import enclosure_text, integer_text
from synthbounds.render.risk import facts_of
from synthbounds.render.stated import NONE, Stated

_DIGITS = 8
_CONDITIONS = ("Loss", "Data", "Noise")


def stated_requirement(answer: Requirement) -> Stated:
    guarantee = answer.guarantee
    accuracy, failure = _number(guarantee.accuracy), _number(guarantee.failure_probability)
    sizes = (("n", answer.n), ("m", answer.m), ("k", answer.k))
    sentence = (
        f"the answers to ${_whole(answer.queries)}$ queries ({prose(answer.queries_in_words)}) are all within "
        f"${accuracy}$, except with probability ${failure}$"
    )
    whose = "every data set" if guarantee.any_data else "records drawn independently from one distribution"
    if answer.direction == "necessary":
        conclusion = (
            f"no mechanism that is {_private(guarantee.privacy)} has for {whose} of fewer than ${_whole(answer.n)}$ "
            f"records that {sentence}."
        )
    else:
        counted = ((answer.m, "reference points"), (answer.k, "synthetic records"))
        uses = " and ".join(f"${_whole(value)}$ {what}" for value, what in counted if value is not None)
        conclusion = (
            f"for {whose}, from ${_whole(answer.n)}$ records on{f', with {uses}' if uses else ''}, {sentence}; what is "
            f"released is {_private(guarantee.privacy)}."
        )
    noise = (f"the noise is {guarantee.privacy.mechanism}; {guarantee.privacy.sensitivity}",)
    return Stated(
        answer.theorem,
        answer.title,
        answer.paper,
        answer.locator,
        answer.edition,
        (*_budget(guarantee.privacy), ("accuracy", accuracy), ("failure", failure)),
        tuple((f"${name}$", NONE if value is None else _whole(value)) for name, value in sizes),
        (*(noise if answer.direction != "necessary" else ()), *_assumed(answer.hypotheses)),
        conclusion,
        guarantee.reason if guarantee.vacuous else "",
    )


def stated_risk(answer: RiskAnswer) -> Stated:
    noise, bound = answer.noise, _rounded_up(answer.bound)
    n = None if answer.required is None else answer.required.certificate.value
    failure = None if noise is None else _number(Enclosure.of(noise.failure))
    given = () if noise is None or failure is None else (*_budget(noise.privacy), ("failure", failure))
    solved = (
        f"at $\\varepsilon = {prose(show_rational(answer.solved.value)).replace('$', '')}$, "
        if answer.solved is not None
        else ""
    )
    conclusion = (
        f"{'' if n is None else f'from ${_whole(n)}$ records on, '}{solved}the empirical risk of the model that is "
        f"trained on the synthetic data is at most ${bound}$ above that of the best model of the class"
        f"{'' if failure is None else f', except with probability ${failure}$'}"
    )
    if noise is not None:
        claim = "what is released is" if noise.is_private else "what is released is claimed to be"
        conclusion += f"; {claim} {_private(noise.privacy)}"
    return Stated(
        answer.theorem,
        answer.title,
        answer.paper,
        answer.locator,
        answer.edition,
        given,
        (("$n$", NONE if n is None else _whole(n)), ("excess risk at most", bound)),
        (
            *(f"{label.lower()}: {text}" for label, text in facts_of(answer) if label in _CONDITIONS),
            *_assumed(answer.hypotheses),
        ),
        f"{conclusion}.",
        answer.reason if answer.vacuous else "",
    )


def _budget(privacy: PrivacyStatement) -> tuple[tuple[str, str], ...]:
    said = [(f"${latex_name('epsilon')}$", _number(privacy.epsilon))]
    if privacy.dp_delta is not None:
        said.append((f"${latex_name('dp_delta')}$", _number(privacy.dp_delta)))
    return tuple(said)


def _private(privacy: PrivacyStatement) -> str:
    """With adjacency and whether n is public: every statement of privacy needs them."""
    numbers = ", ".join(value for _, value in _budget(privacy))
    least = privacy.least_public_size
    size = "$n$ is public" if least is None else f"$n$ is private, and at least $n_0 = {_whole(least)}$"
    what = f"(${numbers}$)" if privacy.dp_delta is not None else f"${numbers}$"
    return f"{what}-differentially private ({privacy.adjacency.value}; {size})"


def _assumed(results: Sequence[HypothesisResult]) -> tuple[str, ...]:
    """What cannot be checked for the reader; a condition that was checked is true for these numbers, or is violated."""
    return tuple(
        result.text + (f" (violated here{f': {result.why}' if result.why else ''})" if result.holds is False else "")
        for result in results
        if result.holds is not True
    )


def _whole(value: int) -> str:
    """All digits of it, or a few and the power of ten, rounded up."""
    return _in_math(integer_text(value))


def _number(value: Enclosure) -> str:
    return _in_math(enclosure_text(value, _DIGITS))


def _rounded_up(value: Enclosure) -> str:
    return _in_math(value.decimal(_DIGITS)[1])


def _in_math(text: str) -> str:
    number, _, words = text.partition(" ")
    return prose(number).replace("$", "").replace(",", "{,}") + (rf"\ \text{{{prose(words)}}}" if words else "")
