"""A certificate of scores in words: its claim in one sentence, and what is given."""

from __future__ import annotations

from typing import Any

MEANS = {
    "log": "mean log loss",
    "zero-one": "error rate",
    "brier": "mean Brier loss",
}


def statement(body: dict[str, Any]) -> str:
    """The claim in one sentence."""
    claims, asked = body["claims"], [row["question"] for row in body["questions"]]
    claim = SAID[body["ask"]](body, claims, asked)
    return f"Except with probability at most {body['beta']}, {claim}."


def excess(body: dict[str, Any], claims: dict[str, Any], asked: list[dict[str, Any]]) -> str:
    """How far the model is from the best, its loss, and the loss of constants."""
    (model,) = (each for each in asked if each["kind"] == "model-loss")
    (over,) = (each for each in asked if each["kind"] in ("least-loss", "excess-over"))
    ridge, loss = over.get("ridge"), f"mean {model['loss']} loss"
    penalty = "" if ridge is None else f" plus {ridge}/2 times its squared norm"
    none = "none of the others" if over["kind"] == "excess-over" else f"no {class_of(over)}"
    floor = "" if claims["floor"] is None else f", nor one below {claims['floor']}"
    half = ": the model has more than half of what its class gains over every constant score"
    return (
        f"{none} has a {loss}{penalty} on the real table that is smaller than that of the "
        f"certified model by more than {claims['excess']}{floor}; the model's {loss} is at most "
        f"{claims['risk']}, that of every constant score at least {claims['constant']}"
        f"{half if claims['informative'] else ''}"
    )


def class_of(over: dict[str, Any]) -> str:
    norm = "" if over["tau"] is None else f" of norm at most {over['tau']}"
    apart = f" and an intercept apart of at most {over['intercept']} in size"
    return f"linear model{norm}{'' if over['intercept'] is None else apart}"


def between(ends: dict[str, Any]) -> str:
    return f"between {ends['lower']} and {ends['upper']}"


def floors(body: dict[str, Any], claims: dict[str, Any], asked: list[dict[str, Any]]) -> str:
    """The smallest loss of every class, and of constants."""
    classes = [each for each in asked if each["kind"] == "least-loss"]
    pairs = zip(classes, claims["floors"], strict=True)
    listed = ", ".join(f"{between(ends)} for a {class_of(each)}" for each, ends in pairs)
    return (
        f"the least mean {classes[0]['loss']} loss on the real table is {listed}; that of a "
        f"constant score is at least {claims['constant']}"
    )


def loss(body: dict[str, Any], claims: dict[str, Any], asked: list[dict[str, Any]]) -> str:
    """The loss of a model's predictions, next to constants and the best linear models."""
    (own,) = (each for each in asked if each["kind"] == "predicted-loss")
    mean, clip = MEANS[own["loss"]], own["clip"]
    kept = "" if clip is None else f", with probabilities kept within {clip} of 0 and 1,"
    better = ", so the model is better than all of them" if claims["better"] else ""
    found = (
        f"the {mean} of the model's predictions{kept} on the real table is "
        f"{between(claims['risk'])}; that of a constant is at least {claims['constant']}{better}"
    )
    if claims["compared"] is None:
        return found
    rows = [row["question"] for row in body["floors"]["questions"]]
    classes = [each for each in rows if each["kind"] == "least-loss"]
    pairs = zip(classes, claims["compared"], strict=True)
    listed = ", ".join(f"{between(ends)} for a {class_of(each)}" for each, ends in pairs)
    return f"{found}; less the least mean {classes[0]['loss']} loss it is {listed}"


def auc(body: dict[str, Any], claims: dict[str, Any], asked: list[dict[str, Any]]) -> str:
    return (
        "the area under the ROC curve of the model's scores on the real table is "
        f"{between(claims['area'])}"
    )


def calibration(body: dict[str, Any], claims: dict[str, Any], asked: list[dict[str, Any]]) -> str:
    listed = ", ".join(between(ends) for ends in claims["bins"])
    return (
        f"in {len(claims['bins'])} equal bins of the predicted probability, from 0 to 1, the share "
        f"of the positive label on the real table is {listed}"
    )


SAID = {"excess": excess, "floors": floors, "loss": loss, "auc": auc, "calibration": calibration}


def taken_as_given(body: dict[str, Any]) -> list[str]:
    """What no checker can know from the file alone."""
    private = body["adjacency"] == "add-remove"
    records = f"{'at least ' if private else ''}{body['size']} records"
    of_query = "" if body["query"] is None else f"query {body['query']} of "
    kinds = {row["question"]["kind"] for row in [*body["questions"], *floor_rows(body)]}
    given = [
        f"{of_query}release {body['release']} ({body['adjacency']}): these are its questions and "
        f"answers about {records} of one table",
        "the noise is Gaussian with these deviations, independent, and rounded",
    ]
    if kinds & {"model-loss", "excess-over", "predicted-loss"}:
        given.append("the loss of every record was rounded with at most the stated error")
    if "least-loss" in kinds:
        given.append("smallest sums of losses were found up to the stated gap, before the noise")
    if body["features"] is not None:
        given.append(f"the records are in the domain of feature map {body['features']['digest']}")
    if body["model"] is not None:
        given.append(f"model {body['model']} is the one that was asked about")
    if kinds & {"predicted-loss", "area-under-curve", "calibration"}:
        given.append("every prediction depends only on its own record and on the model")
    given.append("questions, beta and its parts were fixed before the noise")
    if body["model_from"] == "table":
        given.append("note: the model comes from these same records and is itself not private")
    return given + ([f"note: {body['note']}"] if body["note"] else [])


def floor_rows(body: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [] if body["floors"] is None else body["floors"]["questions"]
    return found
