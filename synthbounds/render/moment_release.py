"""The report on a release of moments as a document and as JSON."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from bounds.enclosure import Enclosure
from bounds.exact import show_rational
from mechanisms.models.event import Radii
from release.moments.budget import MULTIPLICITIES
from release.moments.file import MomentRelease
from release.noise.kinds import NOT_A_RELEASE
from release.statistics.blocks import ONE_HOT, REDUCED
from synthbounds.render.document import Answer, Block, Code, Document, Facts, Stamp, Table, Title
from synthbounds.render.numbers import enclosure_text, json_integer, up
from synthbounds.render.reserving import IN_TOTAL, privacy_text, reservation_payload, reserved_text


def release_document(release: MomentRelease, written_to: str, radii: Radii | None = None) -> Document:
    """Answer first, then what it rests on, then how to go on."""
    blocks: list[Block] = [Title("Private moments", "for linear models"), Answer(_answer(release))]
    if release.is_simulated:
        blocks.append(Stamp(NOT_A_RELEASE))
    number = release.feature_map.label_is_number
    lines = [
        f"synthbounds {f'regress {written_to} --loss squared' if number else f'train {written_to} --tau 5'} "
        "--output model.json",
        f"synthbounds certify {written_to} model.json",
        f"synthbounds infer {written_to} --pca 2",
    ]
    if release.reservation_state is not None and not number:
        lines.append(f"synthbounds confirm TABLE {written_to} model.json --output query.json")
    facts = Facts((*_facts(release, written_to), *_radii(radii)))
    return (*blocks, facts, _noise_table(release), Code(tuple(lines), "sh"))


def _counts(release: MomentRelease) -> tuple[int, int, int]:
    p = release.feature_map.size
    return p, p * (p + 1) // 2, len(release.fourth_sums or ())


def _answer(release: MomentRelease) -> tuple[tuple[str, str, str], ...]:
    first, second, fourth = _counts(release)
    more = f", {fourth:,} of four" if fourth else ""
    return (
        (
            "moments",
            f"{first + second + fourth:,}",
            f"{first:,} of label and feature, {second:,} of two features{more}",
        ),
        (
            "noise",
            up(release.noise_second, 6),
            "standard deviation of a mean of squares, features scaled to the unit ball",
        ),
    )


def _facts(release: MomentRelease, written_to: str) -> tuple[tuple[str, str], ...]:
    features = release.feature_map
    hot = features.encodings.count(ONE_HOT)
    fewer = features.encodings.count(REDUCED)
    said = [f"{hot:,} of them one-hot"] * bool(hot) + [f"{fewer:,} of them one-hot without the first value"] * bool(
        fewer
    )
    columns = ", ".join((f"{len(features.columns):,} columns", *said))
    rows = [
        ("Written", written_to),
        (
            "Features",
            f"{features.size:,} with the intercept, from {columns}; squared norm at most {features.squared_norm}",
        ),
        ("Label", features.label_text),
        ("Privacy", privacy_text(release, IN_TOTAL)),
        ("Sensitivity", _sensitivity(release)),
        ("Spent", _spent(release)),
        ("Reserved", reserved_text(release)),
        ("Digest", release.digest),
    ]
    if release.seed is not None:
        rows.append(("Seed", str(release.seed)))
    return tuple(rows)


def _radii(radii: Radii | None) -> tuple[tuple[str, str], ...]:
    if radii is None:
        return ()
    said = f"means of label times feature within {up(radii.first, 6)} (Euclidean norm), of products within "
    return (
        (
            "Radii",
            f"{said}{up(radii.second, 6)} (operator norm), except with probability {show_rational(radii.failure)}",
        ),
    )


def _sensitivity(release: MomentRelease) -> str:
    weights = f"weight a^2 = {show_rational(release.weight)}"
    if release.fourth_weight is not None:
        weights += f", c^2 = {show_rational(release.fourth_weight)}"
    squared = enclosure_text(Enclosure.of(release.squared_sensitivity), 12)
    return f"one record moves the weighted sums by at most sqrt({squared}) in L2, features in the unit ball; {weights}"


def _spent(release: MomentRelease) -> str:
    spent = f"mu^2 = {up(release.mu_squared_spent, 6)} of {up(release.mu_squared, 6)}"
    alone = f"on its own this is epsilon = {up(release.epsilon_spent, 6)} at the same dp-delta"
    return f"nothing; a release would spend {spent}" if release.is_simulated else f"{spent}; {alone}"


def _noise_table(release: MomentRelease) -> Table:
    rows = tuple((name, f"{count:,}", up(sd, 6), up(mean, 6)) for name, count, sd, mean in _noise(release))
    return Table(
        "Gaussian noise, rounded to whole steps: standard deviations",
        ("of", "entries", "sum, in steps", "mean, in units of the features"),
        rows,
        right=frozenset({1, 2, 3}),
    )


def _noise(release: MomentRelease) -> list[tuple[str, int, Fraction, Fraction]]:
    """Name, number of entries, deviation of the sum in steps and of the mean."""
    first, second, _ = _counts(release)
    found = release.deviations
    one, size = release.feature_map.one, release.size
    rows = [
        ("label times feature", first, found.first, found.first / (size * one * release.feature_map.label_one)),
        ("squares of features", first, found.second_diagonal, found.second_diagonal / (size * one**2)),
        ("products of two", second - first, found.second_off_diagonal, found.second_off_diagonal / (size * one**2)),
    ]
    if found.fourth is not None:
        p = release.feature_map.size
        pairs, triples = p * (p - 1) // 2, p * (p - 1) * (p - 2) // 6
        counts = (p, 2 * pairs, pairs, 3 * triples, triples * (p - 3) // 4)
        for m, count, sd in zip(MULTIPLICITIES, counts, found.fourth, strict=True):
            rows.append((f"products of four, {m} times in the tensor", count, sd, sd / (size * one**4)))
    return rows


def release_payload(release: MomentRelease, written_to: str, radii: Radii | None = None) -> dict[str, Any]:
    features = release.feature_map
    public = release.size_is_exact
    return {
        "kind": "moments",
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
        "label_range": [show_rational(end) for end in features.label_range] if features.label_is_number else None,
        "squared_norm": features.squared_norm,
        "feature_map_digest": features.digest,
        "epsilon": show_rational(release.epsilon),
        "dp_delta": show_rational(release.dp_delta),
        "epsilon_spent": None if release.is_simulated else up(release.epsilon_spent, 25),
        "mu_squared": up(release.mu_squared, 25),
        "mu_squared_spent": None if release.is_simulated else up(release.mu_squared_spent, 25),
        "reserve": show_rational(release.reserve),
        "reservation": reservation_payload(release),
        "weight": show_rational(release.weight),
        "fourth_weight": None if release.fourth_weight is None else show_rational(release.fourth_weight),
        "sensitivity": {"norm": "L2", "squared": up(release.squared_sensitivity, 25)},
        "noise": [
            {"of": name, "entries": count, "sum": up(sd, 25), "mean": up(mean, 25)}
            for name, count, sd, mean in _noise(release)
        ],
        "radii": None
        if radii is None
        else {
            "first": up(radii.first, 25),
            "second": up(radii.second, 25),
            "failure": show_rational(radii.failure),
        },
        "seed": None if release.seed is None else json_integer(release.seed),
    }
