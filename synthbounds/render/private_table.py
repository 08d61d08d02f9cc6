"""The report on a synthetic table made from a release, as a document and as JSON."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from bounds.exact import show_rational
from mechanisms.synth.known import Known
from mechanisms.synth.private_table import PrivateTable
from release.cross_moments.file import CrossMoments
from release.data.tables import printable
from release.log.file import MarginalLog
from release.noise.kinds import NOT_A_RELEASE
from release.statistics.blocks import LINEAR, NONE, ONE_HOT, SMOOTH
from synthbounds.render.document import Answer, Block, Code, Document, Facts, Stamp, Table, Title, Vacuous
from synthbounds.render.log_table import log_answer, log_facts, log_payload, log_tables
from synthbounds.render.numbers import integer_text, json_integer, up

if TYPE_CHECKING:
    from mechanisms.tilt.rows import DrawnRows

_MADE_BY = {
    "moments": "a model with one-way and pairwise terms, fitted to noisy tables and moments",
    "independent": "noisy one-way tables, with columns independent of each other",
    "aim": "a graphical model of noisy tables, chosen round by round where the model was worst",
    "mst": "a graphical model of noisy pairs on a spanning tree",
    "tree": "a graphical model of noisy pairs on a tree, and of all pairs with the label",
    "gen": "a distribution close to the noisy tables of all sets of a given number of columns",
    "rap": "relaxed rows, moved until their tables are close to noisy ones, chosen where the rows were worst",
    "rap++": "relaxed rows with numbers, moved until tables and thresholds are close to noisy ones, chosen where the "
    "rows were worst",
    "gem": "a small network, fitted to noisy tables of pairs, chosen where the network was worst",
    "merf": "a small network, fitted to noisy random features of all columns at once",
}
_ENCODED = {
    LINEAR: "one feature",
    SMOOTH: "smooth, up to three features",
    ONE_HOT: "one-hot",
    NONE: "one-way table only",
}
TRIVIAL = Fraction(1, 2)
"""An error of a share this large says nothing."""


def private_table_document(
    found: PrivateTable, written_to: str, release_file: str, distance_file: str | None = None
) -> Document:
    """Answer first, then what it rests on, then how to go on."""
    blocks: list[Block] = [Title("Synthetic table", _MADE_BY[found.method]), Answer(_answer(found))]
    if found.is_simulated:
        blocks.append(Stamp(NOT_A_RELEASE))
    if max((*found.known.one_way, *found.known.tables.values())) >= TRIVIAL:
        blocks.append(Vacuous("the noise is so large that hardly anything is known about some share"))
    blocks += [Facts(_facts(found, written_to, release_file, distance_file)), _columns(found), *log_tables(found)]
    if found.choice.advice is not None:
        blocks.append(Facts((("More", found.choice.advice),)))
    if _has_models(found):
        lines = (
            f"synthbounds train {release_file} --tau 5 --output model.json",
            f"synthbounds certify {release_file} model.json",
        )
        blocks.append(Code(lines, "sh"))
    return tuple(blocks)


def _has_models(found: PrivateTable) -> bool:
    """Whether linear models of the label can be certified: it has two values."""
    label = found.release.encoding.label if isinstance(found.release, CrossMoments) else None
    return any(column.name == label and column.size == 2 for column in found.schema.columns)


def _unless(known: Known) -> str:
    least = "" if known.least_size is None else f", for {known.least_size:,} records or more"
    return f"except with probability {show_rational(known.beta)}{least}"


def _answer(found: PrivateTable) -> tuple[tuple[str, str, str], ...]:
    known, unless = found.known, _unless(found.known)
    rows = [
        ("rows", integer_text(found.k), f"in the synthetic table, {found.distinct:,} of them distinct"),
        ("shares", up(max(known.one_way), 6), f"is the largest error of a share of one column, {unless}: certified"),
    ]
    if known.cross is not None:
        rows.append(
            ("moments", up(known.cross, 6), "is the largest error of a mean of two columns' features: certified")
        )
    return (*rows, *log_answer(found))


def _facts(
    found: PrivateTable, written_to: str, release_file: str, distance_file: str | None
) -> tuple[tuple[str, str], ...]:
    rows = [
        ("Written", written_to),
        (_kept(found), f"{release_file}, the noisy numbers the table was made from"),
        ("Method", f"{found.method}: {found.choice.reason}"),
        ("Privacy", _privacy(found)),
    ]
    if isinstance(found.release, CrossMoments):
        rows.append(("Measured", _measured(found.release)))
    if isinstance(found.release, MarginalLog):
        rows += log_facts(found, found.release)
    stages = _stages(found)
    if stages is not None:
        rows.append(
            (
                "Fit",
                f"{len(stages.stages)} stages; effective share of the last points {stages.effective:.3f}, "
                f"residuals {stages.stages[-1].residual:.2f} of their noise (estimates)",
            )
        )
    if found.distance is not None:
        from synthbounds.render.comparison import both_hold, bounded_by  # it brings certificates of models

        near, (first, second) = found.distance.distance(found.known.beta), bounded_by(found.distance)
        rows += [
            ("Distance", f"{distance_file}, how far the table is from the real one, for `synthbounds certify`"),
            ("First", f"{up(near.first)}: {first}"),
            ("Second", f"{up(near.second)}: {second}; {both_hold(found.known.beta)}"),
        ]
    seed = found.release.seed
    if seed is not None:
        rows.append(("Seed", str(seed)))
    return tuple(rows)


def _kept(found: PrivateTable) -> str:
    return "Log" if isinstance(found.release, MarginalLog) else "Release"


def _stages(found: PrivateTable) -> DrawnRows | None:
    """How a distribution was fitted in stages; None if there were none."""
    from mechanisms.tilt.rows import DrawnRows

    return found.fit if isinstance(found.fit, DrawnRows) else None


def _privacy(found: PrivateTable) -> str:
    public = found.release.n_is_public
    size = "n is public" if public else f"n is private, at least {found.stated_size:,}"
    delta = "" if found.dp_delta is None else f", dp-delta = {show_rational(found.dp_delta)}"
    budget = f"epsilon = {show_rational(found.epsilon)}{delta}"
    spent = f"none; a release would spend {budget}" if found.is_simulated else f"{budget} spent in total"
    if found.is_redrawn:
        spent = f"new rows spend nothing; the log {'would cost' if found.is_simulated else 'cost'} {budget}"
    return f"{spent}; adjacency {found.release.adjacency.value}; {size}"


def _measured(release: CrossMoments) -> str:
    cells, products = len(release.one_way_counts), len(release.cross_sums)
    noise = up(release.one_way_deviation / release.size, 3)
    return f"{cells:,} shares with noise of about {noise} each, {products:,} products of two columns"


def _columns(found: PrivateTable) -> Table:
    schema, encoded = found.schema, None
    if isinstance(found.release, CrossMoments):
        encoded = found.release.encoding.encodings
    rows = []
    for u, column in enumerate(schema.columns):
        how = () if encoded is None else (_ENCODED[encoded[u]],)
        rows.append((printable(column.name), f"{column.size:,}", *how, up(found.known.one_way[u], 4)))
    heads = ("column", "codes", *(() if encoded is None else ("measured as",)), "largest error of a share")
    return Table("Columns", heads, tuple(rows), right=frozenset({1, len(heads) - 1}))


def private_table_payload(
    found: PrivateTable, written_to: str, release_file: str, distance_file: str | None = None
) -> dict[str, Any]:
    known, release, fit = found.known, found.release, _stages(found)
    public = release.n_is_public
    size = json_integer(found.stated_size)
    return {
        "method": found.method,
        "choice": {"reason": found.choice.reason, "advice": found.choice.advice},
        "mode": "simulate" if found.is_simulated else "release",
        "stamp": NOT_A_RELEASE if found.is_simulated else None,
        "synthetic": written_to,
        "release": release_file,
        "release_digest": release.digest,
        "distance": distance_file,
        "n": size if public else None,
        "least_size": None if public else size,
        "k": json_integer(found.k),
        "distinct": found.distinct,
        "epsilon": show_rational(found.epsilon),
        "dp_delta": None if found.dp_delta is None else show_rational(found.dp_delta),
        "spent": found.is_spent,
        "adjacency": release.adjacency.value,
        "n_is_public": public,
        "known": {
            "failure_probability": show_rational(known.beta),
            "largest_share_error": up(max(known.one_way), 25),
            "share_errors": {
                name: up(error, 25) for name, error in zip(found.schema.names, known.one_way, strict=True)
            },
            "largest_moment_error": None if known.cross is None else up(known.cross, 25),
            "theorem": "synthbounds.lattice-noise" if known.cross is None else "synthbounds.cross-moments",
        },
        "fit": None
        if fit is None
        else {
            "stages": len(fit.stages),
            "effective_share_est": f"{fit.effective:.4f}",
            "residual_est": f"{fit.stages[-1].residual:.4f}",
        },
        "seed": release.seed,
        **(log_payload(found, release) if isinstance(release, MarginalLog) else {}),
    }
