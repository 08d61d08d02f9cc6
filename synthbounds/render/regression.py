"""The report on a private regression, as a document and as JSON."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

from bounds.certify.verdict import VACUOUS
from bounds.exact import show_rational
from mechanisms.models.model import Model, terminating_decimal
from mechanisms.models.train.objective import constraint_text
from mechanisms.models.train.synthetic import MOST_FEATURES as MOST_FITTED
from mechanisms.regression.excess import Excess
from mechanisms.regression.instead import Instead
from mechanisms.regression.parameters import LOGISTIC, POISSON, SQUARED
from mechanisms.regression.regression import Regression, Spent
from release.marginals.file import Marginals
from release.moments.file import MomentRelease
from release.noise.kinds import NOT_A_RELEASE
from release.parameters import DEFAULT_BETA
from synthbounds.render.certification import sentence
from synthbounds.render.document import Answer, Block, Code, Document, Facts, Stamp, Title, Vacuous
from synthbounds.render.numbers import json_integer, up
from synthbounds.render.training import coefficient_table

_TITLES = {LOGISTIC: "Logistic regression", POISSON: "Poisson regression", SQUARED: "Linear regression"}


@dataclass(frozen=True)
class Files:
    """Where the model is, and the release behind it, if it is in a file."""

    model: str
    release: str | None


def regression_document(found: Regression, excess: Excess, files: Files, instead: Instead | None) -> Document:
    """What is certified first, or why nothing is; then what it cost, how it came about, and how to go on."""
    certified = excess.answer
    said = f"by {found.method}" if certified is None else sentence(certified)
    blocks: list[Block] = [Title(_TITLES[found.model.loss], said), Answer(_answer(found, excess))]
    if found.is_simulated:
        blocks.append(Stamp(NOT_A_RELEASE))
    if certified is not None and certified.verdict == VACUOUS:
        blocks.append(Vacuous(certified.verdict_reason))
    hint = _hint(found, instead)
    blocks += [Facts(_facts(found, files, hint)), coefficient_table(found.model)]
    lines = _next_lines(found, excess, files, hint)
    return (*blocks, *((Code(lines, "sh"),) if lines else ()))


def _answer(found: Regression, excess: Excess) -> tuple[tuple[str, str, str], ...]:
    rows = [("norm", up(found.model.norm_hi, 8), "of the model, intercept included, features scaled to the unit ball")]
    if excess.answer is None:
        return (("excess", "-", f"not certified: {excess.reason}"), *rows)
    answer = excess.answer
    return (
        ("excess", up(answer.bound), "at most, certified"),
        ("verdict", answer.verdict, answer.verdict_reason),
        *rows,
    )


def _facts(found: Regression, files: Files, hint: str | None) -> tuple[tuple[str, str], ...]:
    model = found.model
    features = model.feature_map
    rows = [
        ("Written", files.model),
        ("Method", found.method),
        *found.facts,
        ("Model", f"{model.loss} loss; {constraint_text(model)}"),
        ("Label", features.label_text),
        ("Predicts", prediction_text(found.model)),
        ("Features", f"{features.size:,} with the intercept; squared norm at most {features.squared_norm}"),
        ("Privacy", _privacy(found)),
    ]
    rows += [("Moves", f"{what}: {_moved(moved)}") for what, moved in found.spent.sensitivities]
    return (*rows, *((("Better", hint),) if hint else ()))


def prediction_text(model: Model) -> str:
    """How a prediction follows from the score, coefficients times features and the intercept."""
    features = model.feature_map
    if model.loss == POISSON:
        return f"e^score for {features.label}, a count"
    if features.positive is not None:
        if model.loss == LOGISTIC:
            return f"1/(1 + e^-score), the chance of {features.positive}"
        return f"{features.positive} if the score is above 0"
    least, most = features.label_range
    middle, half = show_rational((least + most) / 2), show_rational((most - least) / 2)
    return f"{middle} + {half} score for {features.label}"


def _moved(moved: Any) -> str:
    root = up(moved.value.hi, 8)
    return f"one record moves it by at most {root} ({moved.norm}), {moved.adjacency.value}"


def _privacy(found: Regression) -> str:
    if not found.is_new:
        return "made from the release alone: nothing more is spent"
    spent = found.spent
    budget = f"epsilon = {show_rational(spent.epsilon)}, dp-delta = {show_rational(spent.dp_delta)}"
    said = f"{budget} spent in total"
    if found.is_simulated:
        said = f"none; a release would spend {budget}" if found.can_be_released else f"none; planned for {budget}"
    return f"{said}; adjacency {spent.adjacency.value}; {_size_text(spent)}"


def _size_text(spent: Spent) -> str:
    return "n is public" if spent.n_is_public else f"n is private, at least {spent.size:,}"


def _hint(found: Regression, instead: Instead | None) -> str | None:
    """What the same release does better: a polynomial stands in for the loss, and `train` minimises the loss itself."""
    features = found.model.feature_map.size
    if found.model.loss != LOGISTIC or not isinstance(found.release, MomentRelease | Marginals):
        return None
    if features > MOST_FITTED:  # `train` would refuse
        return None
    if instead is None:
        return "`synthbounds train` from the same release may do better: it minimises the logistic loss itself"
    if not instead.is_better:
        return None
    return (
        "`synthbounds train` from the same release, at no cost: it minimises the logistic loss itself; on records with "
        f"the moments of the release its mean loss is {instead.trained_risk_est:.5g}, that of this model "
        f"{instead.own_risk_est:.5g} (estimates)"
    )


def _next_lines(found: Regression, excess: Excess, files: Files, hint: str | None) -> tuple[str, ...]:
    if files.release is None or found.model.loss == POISSON:  # about which nothing is certified
        return ()
    release = shlex.quote(files.release)
    sure = "" if excess.answer is None or excess.answer.beta == DEFAULT_BETA else f" --beta {excess.answer.beta}"
    lines = [f"synthbounds certify {release} {shlex.quote(files.model)}{sure}"]
    if hint is not None and isinstance(found.release, MomentRelease):  # others have no features of their own
        tau = show_rational(found.model.tau) if found.model.tau is not None else up(found.model.norm_hi, 6)
        lines.append(f"synthbounds train {release} --tau {tau} --output trained.json")
    return tuple(lines)


def regression_payload(
    found: Regression, excess: Excess, files: Files, instead: Instead | None = None
) -> dict[str, Any]:
    model, features, answer = found.model, found.model.feature_map, excess.answer
    decimals = [terminating_decimal(c) for c in model.coefficients]
    ends = features.label_range if features.label_is_number else None
    return {
        "method": found.method,
        "mode": found.mode,
        "stamp": NOT_A_RELEASE if found.is_simulated else None,
        "model": files.model,
        "release": files.release,
        "release_digest": None if found.release is None else found.release.digest,
        "feature_map_digest": features.digest,
        "loss": model.loss,
        "label": features.label,
        "positive": features.positive,
        "label_range": None if ends is None else [show_rational(end) for end in ends],
        "prediction": prediction_text(model),
        "tau": None if model.tau is None else show_rational(model.tau),
        "norm": up(model.norm_hi, 25),
        "coefficients": dict(zip(features.names[:-1], decimals[:-1], strict=True)),
        "intercept": decimals[-1],
        "facts": dict(found.facts),
        "spent": {"paid": found.is_new and not found.is_simulated, **_spent_payload(found.spent)},
        "excess_upper": None if answer is None else up(answer.bound, 25),
        "beta": None if answer is None else show_rational(answer.beta),
        "verdict": None if answer is None else answer.verdict,
        "not_certified": excess.reason or None,
        "hint": _hint(found, instead),
    }


def _spent_payload(spent: Spent) -> dict[str, Any]:
    size = json_integer(spent.size)
    return {
        "epsilon": show_rational(spent.epsilon),
        "dp_delta": show_rational(spent.dp_delta),
        "adjacency": spent.adjacency.value,
        "n": size if spent.n_is_public else None,
        "least_size": None if spent.n_is_public else size,
        "n_is_public": spent.n_is_public,
        "sensitivities": [
            {"what": what, "norm": moved.norm, "value": up(moved.value.hi, 12)} for what, moved in spent.sensitivities
        ],
    }
