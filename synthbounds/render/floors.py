"""The report on a release of floors as a document and as JSON."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from bounds.exact import show_rational
from release.floors.file import FloorRelease
from release.floors.intervals import Floors
from release.noise.kinds import NOT_A_RELEASE
from synthbounds.render.document import Answer, Block, Code, Document, Facts, Stamp, Table, Title, Vacuous
from synthbounds.render.numbers import down, json_enclosure, json_integer, up
from synthbounds.render.reserving import IN_TOTAL, privacy_text, reservation_payload, reserved_text


def floors_document(release: FloorRelease, floors: Floors, written_to: str) -> Document:
    """The floors first, then what they rest on, then how to go on."""
    if release.contradiction is not None:
        return (
            Title("Floors of linear models", "Nothing is certified: the counts refute the stated size."),
            *((Stamp(NOT_A_RELEASE),) if release.is_simulated else ()),
            Vacuous(release.contradiction),
            Facts(_facts(release, floors, written_to)),
        )
    sure = show_rational((1 - floors.beta) * 100)
    best = floors.floors[-1]
    blocks: list[Block] = [
        Title(
            "Floors of linear models",
            f"With confidence {sure} %, the least mean {release.loss} loss of linear models is in these intervals.",
        ),
        Answer(
            (
                (
                    "floor",
                    down(best.mean.lo),
                    f"at least, for every linear model of norm at most {show_rational(best.tau)}",
                ),
                ("constant", down(floors.constant_lo), "at least, for every constant score, certified"),
            )
        ),
    ]
    if release.is_simulated:
        blocks.append(Stamp(NOT_A_RELEASE))
    rows = tuple(
        (show_rational(floor.tau), down(floor.mean.lo), up(floor.mean.hi), up(deviation))
        for floor, deviation in zip(floors.floors, _deviations(release), strict=True)
    )
    columns = ("norm at most", "least loss from", "to", "noise")
    lines = (
        f"synthbounds confirm TABLE {written_to} model.json --ask excess --output query.json",
        f"synthbounds confirm TABLE {written_to} --predictions predictions.csv --loss log --model-from release "
        "--output query.json",
    )
    return (
        *blocks,
        Table("Certified intervals that hold together", columns, rows, right=frozenset({0, 1, 2, 3})),
        Facts(_facts(release, floors, written_to)),
        *((Code(lines, "sh"),) if release.reservation_state is not None else ()),
    )


def _deviations(release: FloorRelease) -> tuple[Fraction, ...]:
    """Of the noise on mean losses; the labels come last."""
    return release.questions.mean_deviations(release.own_cost, release.stated_size)[:-1]


def _facts(release: FloorRelease, floors: Floors, written_to: str) -> tuple[tuple[str, str], ...]:
    features = release.feature_map
    moved = ", ".join(up(floor.moved(release.adjacency) * floor.unit) for floor in release.floors)
    spent = f"mu^2 = {up(release.mu_squared_spent, 6)} of {up(release.mu_squared, 6)}"
    rows = [
        ("Written", written_to),
        ("Features", f"{features.size:,} with the intercept; squared norm at most {features.squared_norm}"),
        ("Label", features.label_text),
        (
            "Fails",
            f"with probability at most {show_rational(floors.beta)} in total: "
            f"{show_rational(floors.label_failure)} for the labels, the rest for the largest noise of all floors, "
            "which is independent (Sidak)",
        ),
        ("Privacy", privacy_text(release, IN_TOTAL)),
        ("Sensitivity", f"one record moves the sums of least losses by at most {moved}, gap and rounding included"),
        ("Spent", f"nothing; a release would spend {spent}" if release.is_simulated else spent),
        ("Reserved", reserved_text(release)),
        ("Digest", release.digest),
        ("Proof", "docs/proofs/synthbounds.excess-query.md"),
    ]
    if release.seed is not None:
        rows.append(("Seed", str(release.seed)))
    return tuple(rows)


def floors_payload(release: FloorRelease, floors: Floors, written_to: str) -> dict[str, Any]:
    features, public, certified = release.feature_map, release.size_is_exact, release.contradiction is None
    return {
        "kind": release.KIND,
        "mode": release.mode,
        "stamp": NOT_A_RELEASE if release.is_simulated else None,
        "release": written_to,
        "digest": release.digest,
        "n": json_integer(release.stated_size) if public else None,
        "least_size": None if public else json_integer(release.stated_size),
        "n_is_public": public,
        "adjacency": release.adjacency.value,
        "features": list(features.names),
        "label": features.label,
        "positive": features.positive,
        "squared_norm": features.squared_norm,
        "feature_map_digest": features.digest,
        "loss": release.loss,
        "epsilon": show_rational(release.epsilon),
        "dp_delta": show_rational(release.dp_delta),
        "mu_squared": up(release.mu_squared, 25),
        "mu_squared_spent": None if release.is_simulated else up(release.mu_squared_spent, 25),
        "reserve": show_rational(release.reserve),
        "reservation": reservation_payload(release),
        "beta": show_rational(floors.beta),
        "floors": [
            {
                "tau": show_rational(floor.tau),
                "least_loss": json_enclosure(floor.mean if certified else None),
                "moved": up(question.moved(release.adjacency) * question.unit, 25),
                "noise_deviation": up(deviation, 25),
            }
            for floor, question, deviation in zip(floors.floors, release.floors, _deviations(release), strict=True)
        ],
        "constant_risk_lower": down(floors.constant_lo, 25) if certified else None,
        "contradiction": release.contradiction,
        "seed": None if release.seed is None else json_integer(release.seed),
    }
