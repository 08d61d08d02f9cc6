"""Private releases of a table: moments for linear models, or marginals, checked before a record is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from bounds.errors import DataError, ParameterError, UsageError
from bounds.exact import Exact
from synthbounds.api.tables import Say, open_schema, open_table

if TYPE_CHECKING:
    from bounds.privacy.adjacency import Adjacency
    from release.accuracy.file import AccuracyRelease
    from release.cross_moments.file import CrossMoments
    from release.data.schema import Schema
    from release.data.source import Records
    from release.distance.file import DistanceRelease
    from release.floors.file import FloorRelease
    from release.lake.address import Address
    from release.log.file import MarginalLog
    from release.marginals.file import Marginals
    from release.moments.file import MomentRelease

AnyRelease: TypeAlias = (
    "MomentRelease | FloorRelease | CrossMoments | Marginals | MarginalLog | DistanceRelease | AccuracyRelease"
)

__all__ = ["open_release", "release_floors", "release_marginals", "release_moments"]

_TOO_FEW = (
    "the table has fewer records than --least-size says, so nothing would be certified from it "
    "(a release does not tell: that is about the data)"
)


def release_moments(
    table: str | Path | Address | Records,
    schema: str | Path | Schema,
    *,
    label: str,
    mode: str,
    epsilon: Exact,
    dp_delta: Exact,
    adjacency: Adjacency | str | None = None,
    least_size: Exact | None = None,
    reserve: Exact | None = None,
    positive: str | None = None,
    one_hot: Iterable[str] = (),
    linear: Iterable[str] = (),
    by_value: Iterable[str] = (),
    reduced: Iterable[str] = (),
    weight: Exact | None = None,
    fourth: bool = False,
    fourth_weight: Exact | None = None,
    seed: Exact | None = None,
    account: str | Path | None = None,
    ignore_extra: bool = False,
    notice: Say | None = None,
) -> MomentRelease:
    """Noisy first and second (with `fourth` also fourth) moments of the features and the label.

    In release mode the result may be published, once: each further call spends the budget again. Spending is recorded
    in `account`. `notice` is told what the steward should know, and nobody else.
    """
    from release.moments.make import MomentRequest
    from release.parameters import read_privacy, require_given
    from release.spending import spending
    from release.statistics.features import choose_features

    require_given({"mode": mode, "epsilon": epsilon, "dp_delta": dp_delta}, "mode", "epsilon", "dp_delta")
    kind, neighbours = read_privacy(mode, adjacency, seed=seed, least_size=least_size)
    if fourth_weight is not None and not fourth:
        raise UsageError("fourth-weight is for --fourth")
    public = open_schema(schema, mode=kind)
    features = choose_features(
        public, label=label, positive=positive, one_hot=one_hot, linear=linear, by_value=by_value, reduced=reduced
    )
    if reserve is not None and features.label_is_number:
        raise UsageError("reserve: no query is about a label that is a number; leave it out")
    weights: dict[str, Any] = {"weight": weight, "fourth_weight": fourth_weight, "reserve": reserve}
    asked = MomentRequest(
        features,
        epsilon=epsilon,
        dp_delta=dp_delta,
        adjacency=neighbours,
        mode=kind,
        n0=least_size,
        fourth=fourth,
        seed=seed_of(seed, kind),
        **{name: value for name, value in weights.items() if value is not None},
    )
    source = open_table(table, public, kind, neighbours, ignore_extra=ignore_extra)
    with spending(is_private=kind == "release", account=account):
        found = asked.release(source)
        tell(notice, public, too_few=found.is_simulated and source.n < found.stated_size)
        return found


def release_floors(
    table: str | Path | Address | Records,
    schema: str | Path | Schema,
    *,
    label: str,
    mode: str,
    epsilon: Exact,
    dp_delta: Exact,
    tau: Iterable[Exact] | None = None,
    loss: str | None = None,
    adjacency: Adjacency | str | None = None,
    least_size: Exact | None = None,
    reserve: Exact | None = None,
    positive: str | None = None,
    one_hot: Iterable[str] = (),
    linear: Iterable[str] = (),
    by_value: Iterable[str] = (),
    reduced: Iterable[str] = (),
    seed: Exact | None = None,
    account: str | Path | None = None,
    ignore_extra: bool = False,
    notice: Say | None = None,
) -> FloorRelease:
    """Noisy least mean losses of linear models of several norms, with which any model can be compared.

    In release mode the result may be published, once: each further call spends the budget again. Spending is recorded
    in `account`. `notice` is told what the steward should know, and nobody else.
    """
    from mechanisms.models.train.least_risk import least_risk
    from release.floors.make import FloorRequest
    from release.parameters import read_privacy, require_given
    from release.spending import spending
    from release.statistics.features import choose_features

    require_given({"mode": mode, "epsilon": epsilon, "dp_delta": dp_delta}, "mode", "epsilon", "dp_delta")
    kind, neighbours = read_privacy(mode, adjacency, seed=seed, least_size=least_size)
    public = open_schema(schema, mode=kind)
    asked = FloorRequest(
        choose_features(
            public, label=label, positive=positive, one_hot=one_hot, linear=linear, by_value=by_value, reduced=reduced
        ),
        epsilon=epsilon,
        dp_delta=dp_delta,
        adjacency=neighbours,
        mode=kind,
        tau=tau,
        loss=loss,
        least_size=least_size,
        reserve=0 if reserve is None else reserve,
        seed=seed_of(seed, kind),
    )
    source = open_table(table, public, kind, neighbours, ignore_extra=ignore_extra)
    with spending(is_private=kind == "release", account=account):
        found = asked.release(source, least_risk)
        tell(notice, public, too_few=found.is_simulated and source.n < found.stated_size)
        return found


def release_marginals(
    table: str | Path | Address | Records,
    schema: str | Path | Schema,
    *,
    mode: str,
    epsilon: Exact,
    dp_delta: Exact | None = None,
    adjacency: Adjacency | str | None = None,
    least_size: Exact | None = None,
    beta: Exact | None = None,
    mechanism: str | None = None,
    pairs: Iterable[str | tuple[str, str]] | None = None,
    one_way: Iterable[str] | None = None,
    seed: Exact | None = None,
    account: str | Path | None = None,
    ignore_extra: bool = False,
    notice: Say | None = None,
) -> Marginals:
    """Noisy tables of pairs of columns (default: all) and of single columns (default: those in no pair).

    A pair is a tuple, or text with a colon such as "age:income". In release mode each call spends the budget, and
    spending is recorded in `account`; `notice` is told what the steward should know, and nobody else.

    >>> import numpy as np
    >>> from synthbounds.data import parse_schema
    >>> schema = parse_schema('{"synthbounds_schema": 1, "source": "public", "columns": ['
    ...     '{"name": "sex", "levels": ["F", "M"]}, {"name": "ill", "levels": ["no", "yes"]}]}')
    >>> codes = np.array([[0, 0], [0, 1], [1, 1]] * 100)
    >>> made = release_marginals(codes, schema, mode="simulate", epsilon=1, dp_delta="1e-9")
    >>> made.size, [len(table.counts) for table in made.tables]
    (300, [4])
    """
    from release.marginals.make import release_marginals as make
    from release.parameters import BETA, read_marginal_numbers, read_privacy, require_given
    from release.spending import spending

    said = {"epsilon": epsilon, "dp_delta": dp_delta, "beta": beta, "least_size": least_size, "seed": seed}
    require_given({"mode": mode, **said}, "mode", "epsilon")
    kind, neighbours = read_privacy(mode, adjacency, seed=seed, least_size=least_size)
    numbers = read_marginal_numbers(said)
    public = open_schema(schema, mode=kind)
    source = open_table(table, public, kind, neighbours, ignore_extra=ignore_extra)
    drawn = seed_of(numbers.get("seed"), kind)
    with spending(is_private=kind == "release", account=account):
        found = make(
            source,
            public,
            pairs=None if pairs is None else [pair_of(pair, public) for pair in pairs],
            one_way=one_way,
            epsilon=numbers["epsilon"],
            dp_delta=numbers.get("dp_delta"),
            adjacency=neighbours,
            mode=kind,
            beta=numbers.get("beta", BETA.number()),
            least_size=int(numbers["least_size"]) if "least_size" in numbers else None,
            mechanism=mechanism,
            seed=None if drawn is None else int(drawn),
        )
        tell(notice, public, too_few=found.is_simulated and source.n < found.size)
        return found


def open_release(path: str | Path) -> AnyRelease:
    """The release in a file, of whichever kind; the file is opened and parsed once."""
    from release.accuracy.planned import ACCURACY
    from release.accuracy.read import accuracy_of
    from release.cross_moments.file import CROSS_MOMENTS
    from release.cross_moments.read import cross_moments_of
    from release.distance.planned import DISTANCE
    from release.distance.read import distance_of
    from release.files.strict_json import parse_json, read_json_file
    from release.floors.planned import FLOORS
    from release.floors.read import floors_of
    from release.log.planned import MARGINAL_LOG
    from release.log.read import log_of
    from release.marginals.file import MARGINALS
    from release.marginals.read import marginals_of
    from release.moments.read import release_of

    require_no_table(path)
    text, where = read_json_file(path, "release")
    body = parse_json(text, where)
    kind = body.get("kind") if isinstance(body, dict) else None
    readers: dict[str, Callable[[object, str], Any]] = {
        CROSS_MOMENTS: cross_moments_of,
        MARGINALS: marginals_of,
        MARGINAL_LOG: log_of,
        DISTANCE: distance_of,
        ACCURACY: accuracy_of,
        FLOORS: floors_of,
    }
    found: AnyRelease
    read = readers.get(kind, release_of) if isinstance(kind, str) else release_of
    found = read(body, where)
    return found


def is_table(path: str | Path | Address) -> bool:
    """Whether this is a table: a file with such a name, or an address."""
    return not isinstance(path, str | Path) or Path(path).suffix.lower() in (".csv", ".parquet")


def require_no_table(path: str | Path) -> None:
    """Say what to do with a table given in place of a release."""
    if is_table(path):
        from release.files.strict_json import shown

        raise DataError(
            f"release {shown(Path(path).name)}: is a table; the steward of the real one can say how near this one is "
            "(`synthbounds release distance REAL SYNTHETIC`), and that file certifies models"
        )


def seed_of(said: Exact | None, mode: str) -> Exact | None:
    """A release has none; a simulation records the given one or the default."""
    from release.parameters import SEED

    return SEED.default if said is None and mode == "simulate" else said


def tell(notice: Say | None, schema: Schema, *, too_few: bool = False) -> None:
    """Say what is worth knowing about a new release; only a simulation says anything about the records themselves."""
    if notice is None:
        return
    if too_few:
        notice(_TOO_FEW)
    for warning in schema_warnings(schema):
        notice(warning)


def schema_warnings(schema: Schema) -> list[str]:
    """Why a release would refuse the schema of a simulation."""
    from release.data.schema import DRAFT_NOTE

    if not schema.is_public:
        return ["the schema was made from data: a release needs one from public knowledge"]
    return [f"a release refuses this schema: {DRAFT_NOTE}"] if schema.has_draft_note else []


def pair_of(pair: str | tuple[str, str], schema: Schema) -> tuple[str, str]:
    """`a:b` as two columns; names may contain colons as long as only one reading is possible."""
    if not isinstance(pair, str):
        return pair
    names = schema.names
    cuts = [i for i, c in enumerate(pair) if c == ":" and pair[:i] in names and pair[i + 1 :] in names]
    if len(cuts) != 1:
        raise ParameterError("pairs", pair, "two columns of the schema with a colon between them, such as age:income")
    return pair[: cuts[0]], pair[cuts[0] + 1 :]
