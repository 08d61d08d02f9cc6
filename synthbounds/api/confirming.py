"""One planned query at a fixed model: asked of the real table, or its certificate recomputed from the answer.

A release, a model or a query is an object or its file. The caller decides what is written, and where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from bounds.errors import DataError, UsageError
from bounds.exact import Exact, show_rational
from synthbounds.api.estimators import AnyModel, given_model
from synthbounds.api.tables import open_table

if TYPE_CHECKING:
    from mechanisms.models.confirm.ask import Confirmed
    from mechanisms.models.confirm.excess import ConfirmedExcess
    from mechanisms.models.confirm.prove_excess import ProvedExcess
    from mechanisms.models.model import Model
    from release.data.source import Records
    from release.floors.file import FloorRelease
    from release.lake.address import Address
    from release.moments.file import MomentRelease
    from release.query.file import Query
    from release.query.make import Payer
    from release.scores.file import ScoreQuery

__all__ = ["answer_certificate", "certify_excess", "confirm"]

PayingRelease: TypeAlias = "str | Path | MomentRelease | FloorRelease"


def confirm(
    table: str | Path | Address | Records,
    release: PayingRelease,
    model: AnyModel,
    *,
    ask: str | None = None,
    tau: Exact | None = None,
    ridge: Exact | None = None,
    largest_intercept: Exact | None = None,
    against: Iterable[AnyModel] = (),
    model_from: str | None = None,
    beta: Exact | None = None,
    part: Exact | None = None,
    previous: str | Path | Query | None = None,
    seed: Exact | None = None,
    account: str | Path | None = None,
    ignore_extra: bool = False,
    anyway: bool = False,
    with_certificate: bool = False,
    book: Callable[[Payer], None] | None = None,
) -> Confirmed | ConfirmedExcess:
    """Spend what a release reserved on one question about a model, and certify the model by the answer.

    `ask` is excess, gradient, or auto (default): whichever is expected to certify more. `against` names models to
    compare with instead of a class; `model_from` says where the model comes from: public, release or table. The answer
    contains the query, and the release (or the previous query) marked as spent: the caller writes both. `book` is
    given what pays, marked so, before noise is drawn; if it cannot store that, nothing is spent. A real query is
    refused without it. In `account`, the query is paid by what the release reserved there, or recorded as new.
    `with_certificate` refuses, before anything is spent, a question whose answer could not be certified in a file.
    """
    from mechanisms.models.certify.from_moments import class_for
    from mechanisms.models.confirm.choose import Wanted
    from mechanisms.models.confirm.excess import PlannedExcess
    from mechanisms.models.plan.worth import require_that_it_pays
    from mechanisms.models.query_parameters import CONFIRM_PARAMETERS, PREDICTED_ASKS, read_confirm_numbers
    from release.parameters import DEFAULT_BETA
    from release.spending import spending

    question = CONFIRM_PARAMETERS["ask"].choice(ask)
    if question in PREDICTED_ASKS:
        raise UsageError(f"ask = {question}: is about predictions (--predictions)")
    said = {"tau": tau, "ridge": ridge, "largest_intercept": largest_intercept, "beta": beta, "part": part}
    numbers = read_confirm_numbers({**said, "seed": seed})
    require_order(table, release)
    found = paying_release(release)
    fitted = model_for(model, found)
    others = tuple(model_for(other, found) for other in against)
    if others and not numbers.keys().isdisjoint({"tau", "ridge"}):
        raise UsageError("against and a class (tau, ridge) are both given: compare with one of them")
    drawn = numbers.get("seed", CONFIRM_PARAMETERS["seed"].number() if found.is_simulated else None)
    wanted = Wanted(
        release=found,
        model=fitted,
        compared_with=None if others else class_for(fitted, tau=numbers.get("tau"), ridge=numbers.get("ridge")),
        against=others,
        largest_intercept=numbers.get("largest_intercept"),
        beta=numbers.get("beta", DEFAULT_BETA),
        part=numbers.get("part", CONFIRM_PARAMETERS["part"].number()),
        previous=None if previous is None else query_for(previous, found),
        seed=None if drawn is None else int(drawn),
        model_from=None if model_from is None else CONFIRM_PARAMETERS["model_from"].choice(model_from),
    )
    plan = wanted.plan(question)
    if with_certificate and not isinstance(plan, PlannedExcess):
        raise UsageError(
            "certificate: goes with --ask excess or --predictions: other answers have no such file, and this "
            "query would ask for the gradient"
        )
    if not anyway:
        require_that_it_pays(plan)
    records = open_table(table, found.schema, found.mode, found.adjacency, ignore_extra=ignore_extra)
    with spending(is_private=not found.is_simulated, account=account):
        return plan.ask(records, book=book)


def certify_excess(
    release: PayingRelease,
    query: str | Path | ScoreQuery,
    model: AnyModel,
    *,
    tau: Exact | None = None,
    ridge: Exact | None = None,
    loss: str | None = None,
    intercept: str | None = None,
    beta: Exact | None = None,
) -> ProvedExcess:
    """The certificate of a query for an excess, recomputed from published files alone.

    Class, loss and beta were fixed before the answer; any that are given must agree with that.
    """
    from mechanisms.models.confirm.prove_excess import prove_excess
    from mechanisms.models.parameters import read_certify_numbers
    from mechanisms.models.query_parameters import EXCESS
    from release.gradient.planned import model_digest
    from release.scores.file import ScoreQuery

    numbers = read_certify_numbers({"tau": tau, "ridge": ridge, "beta": beta})
    found = paying_release(release)
    answer = query_for(query, found)
    if not isinstance(answer, ScoreQuery) or answer.about.get("ask") != EXCESS:
        raise UsageError("query: is not the answer to a question about an excess")
    fitted = model_for(model, found)
    proved = prove_excess(answer, found)
    if answer.about["model"] != model_digest(fitted.feature_map, fitted.coefficients, loss or proved.loss):
        raise DataError("query: was asked of another model or another loss")
    fixed = {name: None if proved.compared is None else getattr(proved.compared, name) for name in ("tau", "ridge")}
    for name, value in {**fixed, "beta": proved.beta}.items():
        if name in numbers and numbers[name] != value:
            shown = "none" if value is None else show_rational(value)
            raise UsageError(f"{name} = {show_rational(numbers[name])}: was fixed before the answer, as {shown}")
    if intercept is not None and proved.compared_with is not None and intercept != proved.compared_with.intercept:
        shown = proved.compared_with.intercept
        raise UsageError(f"intercept = {intercept[:60]}: was fixed before the answer, as {shown}")
    return proved


def answer_certificate(
    release: PayingRelease, query: str | Path | ScoreQuery | None = None, *, beta: Exact | None = None
) -> str:
    """What the answer to a query proves or, without one, a release of floors, as a certificate for `check`.

    It is never one that the independent checker rejects. Beta was fixed with the query; give it only for floors.
    """
    from mechanisms.models.confirm.evidence import answer_json, floors_json
    from mechanisms.models.parameters import read_certify_numbers
    from release.floors.file import FloorRelease
    from release.floors.intervals import floor_intervals
    from release.parameters import DEFAULT_BETA
    from release.scores.file import ScoreQuery
    from synthbounds.certificates import checked_scores

    found = paying_release(release)
    if query is None:
        if not isinstance(found, FloorRelease):
            raise UsageError("query is missing: a release of moments certifies models (`synthbounds certify`)")
        said = read_certify_numbers({"beta": beta}).get("beta", DEFAULT_BETA)
        found.require_plausible_size()
        return checked_scores(floors_json(floor_intervals(found, said), found))
    answer = query_for(query, found)
    if not isinstance(answer, ScoreQuery):
        raise UsageError("certificate: a file contains only the proof from the release; leave the gradient out")
    if beta is not None:
        raise UsageError("beta: was fixed before the answer")
    return checked_scores(answer_json(answer, found))


def require_order(table: object, release: object) -> None:
    """Refuse a table and a release whose names tell that each is in the place of the other."""
    from synthbounds.api.releases import is_table

    names = isinstance(table, str | Path) and isinstance(release, str | Path)
    if names and Path(table).suffix.lower() == ".json" and is_table(release):  # type: ignore[arg-type]
        raise UsageError("first a table, then a release: they seem to be swapped")


def paying_release(release: PayingRelease) -> MomentRelease | FloorRelease:
    """The release, if it is of a kind that keeps budget for queries; what cannot be one is named by its type."""
    from release.floors.file import FloorRelease
    from release.moments.file import MomentRelease
    from synthbounds.api.releases import open_release

    found = open_release(release) if isinstance(release, str | Path) else release
    if not isinstance(found, MomentRelease | FloorRelease):
        raise DataError(f'release: kind = "{found.KIND}": must be "moments" or "floors", which keep budget for a query')
    return found


def model_for(model: AnyModel, release: MomentRelease | FloorRelease) -> Model:
    """The model, with its own features if its file contains some, else with those of the release."""
    from mechanisms.models.model import read_model_for

    features = release.feature_map
    return given_model(model, features, lambda path: read_model_for(path, release.schema, features), own=True)


def query_for(query: str | Path | Query, release: MomentRelease | FloorRelease) -> Query:
    """The answer in a file, of whichever kind."""
    from release.files.strict_json import read_json_file
    from release.gradient.read import parse_query
    from release.moments.file import MomentRelease
    from release.query.read import kind_of_query
    from release.scores.planned import SCORES
    from release.scores.read import parse_scores

    if not isinstance(query, str | Path):
        return query
    text, where = read_json_file(query, "query")
    if kind_of_query(text, where) == SCORES:
        return parse_scores(text, release, where=where)
    if not isinstance(release, MomentRelease):
        raise DataError(f"{where}: kind: gradients belong to a release of moments")
    return parse_query(text, release, where=where)
