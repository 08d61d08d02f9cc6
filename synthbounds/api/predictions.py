"""One query about the predictions of any model: asked of the real table, or its intervals computed from the answer.

A model is represented by its predictions: one number per record, in the order of the table. Its file, of whatever
kind, is only hashed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from bounds.errors import DataError, UsageError
from bounds.exact import Exact
from synthbounds.api.confirming import PayingRelease, paying_release, query_for, require_order
from synthbounds.api.tables import open_table

if TYPE_CHECKING:
    from mechanisms.models.confirm.any_model import ScoredModel
    from mechanisms.models.confirm.scored import Scored
    from release.data.source import Records
    from release.lake.address import Address
    from release.query.file import Query
    from release.query.make import Payer
    from release.scores.file import ScoreQuery

__all__ = ["certify_predictions", "confirm_predictions"]

AnyPredictions: TypeAlias = "str | Path | Iterable[object]"
"""A file, or numbers: floats mean their shortest decimal, texts in a list are decimals unless all name files."""


def confirm_predictions(
    table: str | Path | Address | Records,
    release: PayingRelease,
    predictions: AnyPredictions | Sequence[AnyPredictions],
    *,
    model_from: str,
    model: str | Path | None = None,
    ask: str | None = None,
    loss: str | None = None,
    clip: Exact | None = None,
    least_positive: Exact | None = None,
    least_other: Exact | None = None,
    bins: Exact | None = None,
    beta: Exact | None = None,
    part: Exact | None = None,
    previous: str | Path | Query | None = None,
    seed: Exact | None = None,
    account: str | Path | None = None,
    ignore_extra: bool = False,
    book: Callable[[Payer], None] | None = None,
) -> ScoredModel:
    """Spend what a release reserved on one question about predictions, one for each record of the table.

    Of several files, or several lists, the best model is chosen privately, and the question is about that one.
    `model_from` says where the model comes from: public, release (made from published numbers) or table (trained on
    these records; then the model itself is not private). `book` is as in `confirm`.
    """
    from mechanisms.models.confirm.any_model import plan_predictions
    from mechanisms.models.query_parameters import CONFIRM_PARAMETERS, PREDICTED_LOSS, read_confirm_numbers
    from release.files.digest import digest_of_file
    from release.parameters import DEFAULT_BETA
    from release.spending import current_replay, spending
    from release.statistics.predictions import predictions_of, read_predictions

    said = {"clip": clip, "least_positive": least_positive, "least_other": least_other, "bins": bins}
    numbers = read_confirm_numbers({**said, "beta": beta, "part": part, "seed": seed})
    whole = {name: int(numbers[name]) for name in ("least_positive", "least_other", "bins") if name in numbers}
    require_order(table, release)
    require_question(ask, model_from=model_from, loss=loss, least_positive=least_positive, least_other=least_other)
    found = paying_release(release)
    drawn = numbers.get("seed", CONFIRM_PARAMETERS["seed"].number() if found.is_simulated else None)
    files = _each(predictions)
    plan = plan_predictions(
        found,
        model_from=CONFIRM_PARAMETERS["model_from"].choice(model_from),
        ask=PREDICTED_LOSS if ask is None else ask,
        loss=loss,
        clip=numbers.get("clip"),
        **whole,
        model=None if model is None else digest_of_file(model, "model"),
        names=_names(files),
        beta=numbers.get("beta", DEFAULT_BETA),
        part=numbers.get("part", CONFIRM_PARAMETERS["part"].number()),
        previous=None if previous is None else query_for(previous, found),
        seed=None if drawn is None else int(drawn),
    )
    with spending(is_private=not found.is_simulated, account=account):
        replay = current_replay()
        if replay is not None:  # predictions for the records are as private as the table, and not read again
            scores = [predictions_of(["0.5"] * replay.records) for _ in files]
        else:
            scores = [read_predictions(one) if isinstance(one, str | Path) else predictions_of(one) for one in files]
            for one in scores:
                if found.size_is_exact and len(one) != found.stated_size:
                    counts = f"{len(one):,} numbers; the number of rows is {found.stated_size:,}"
                    raise DataError(f"predictions: {counts}, as the release says")
        records = open_table(table, found.schema, found.mode, found.adjacency, ignore_extra=ignore_extra)
        return plan.ask(records, scores, book=book)


def require_question(ask: str | None, **said: object) -> None:
    """Refuse a question that is not whole, naming at once all that is missing."""
    from mechanisms.models.query_parameters import AUC, CONFIRM_PARAMETERS, PREDICTED_LOSS

    more = {PREDICTED_LOSS: ("loss",), AUC: ("least_positive", "least_other")}
    needed = ("model_from", *more.get(PREDICTED_LOSS if ask is None else ask, ()))
    missing = [CONFIRM_PARAMETERS[name] for name in needed if said[name] is None]
    if missing:
        names = [parameter.name.replace("_", "-") for parameter in missing]
        listed = " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
        hints = "; ".join(parameter.hint or parameter.text for parameter in missing)
        raise UsageError(f"{listed} {'are' if names[1:] else 'is'} missing: {hints}")


def certify_predictions(
    release: PayingRelease,
    query: str | Path | ScoreQuery,
    *,
    model: str | Path | None = None,
    beta: Exact | None = None,
) -> Scored:
    """What the answer to a query about predictions proves, recomputed from published files alone.

    A `model` must be the file that was asked about; beta was fixed before the answer.
    """
    from mechanisms.models.confirm.scored import scored
    from mechanisms.models.parameters import read_certify_numbers
    from release.files.digest import digest_of_file
    from release.scores.file import ScoreQuery

    numbers = read_certify_numbers({"beta": beta})
    found = paying_release(release)
    answer = query_for(query, found)
    if not isinstance(answer, ScoreQuery):
        raise UsageError("query: is not about predictions")
    proved = scored(answer, found)
    if "beta" in numbers and numbers["beta"] != proved.beta:
        raise UsageError(f"beta = {numbers['beta']}: was fixed before the answer, as {proved.beta}")
    if model is not None:
        if answer.about["model"] is None:
            raise UsageError("model: the query names no model file")
        if digest_of_file(model, "model") != answer.about["model"]:
            raise DataError(
                "model: was changed after the query, or is another one; its digest is not the one asked about"
            )
    return proved


def _each(predictions: AnyPredictions | Sequence[AnyPredictions]) -> list[AnyPredictions]:
    """One model's predictions, or those of several: columns, or files, which exist or are paths. No text is shown."""
    if isinstance(predictions, str | Path):
        return [predictions]
    _require_column(predictions)
    listed = list(predictions)
    several = bool(listed) and all(_is_file(one) or _is_column(one) for one in listed)
    if not several:
        return [listed]
    for one in listed:
        if not isinstance(one, str | Path):
            _require_column(one)
    return listed  # type: ignore[return-value]


def _is_file(one: object) -> bool:
    """Texts may also be decimals, made from records: they name files only if there are such files."""
    return isinstance(one, Path) or (isinstance(one, str) and os.path.isfile(one))


def _is_column(one: object) -> bool:
    return isinstance(one, list | tuple) or bool(getattr(one, "shape", ()))


def _require_column(found: object) -> None:
    """Refuse what does not contain one number for each record, in order."""
    if len(getattr(found, "shape", (0,))) != 1:
        raise UsageError("predictions: must be one column: predict_proba(X)[:, 1]; of several models, a list of these")
    if not isinstance(found, Iterable) or isinstance(found, Mapping | Set | bytes | bytearray):
        kind = type(found).__name__
        raise UsageError(f"predictions: is of type {kind}; must be a file, or one number for each record in a list")


def _names(files: Sequence[AnyPredictions]) -> tuple[str, ...]:
    """What a query calls its models: files by their names, lists by their numbers."""
    found = tuple(Path(one).name if isinstance(one, str | Path) else str(i) for i, one in enumerate(files, start=1))
    for name in found:
        if not name.isprintable() or len(name) > 200:
            raise UsageError("predictions: a file name that is too long or not printable")
    return found
