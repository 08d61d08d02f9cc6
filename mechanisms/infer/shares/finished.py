"""What a release certifies about a share in a finished table: its distance from the real one, and how often it fails.

A release of accuracy bounds every cell of its tables; one of distance bounds the moments of features, and a share
is a combination: <M, D> is at most the nuclear norm of M times the operator norm of D. Both hold for every real and
every finished table, because their noise is drawn after the finished table is fixed.
Proof: docs/proofs/synthbounds.noisy-proportion.md (i).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from bounds.errors import DataError, NotApplicable
from bounds.exact import root_at_least
from mechanisms.infer.shares.event import Event
from release.accuracy.file import AccuracyRelease
from release.accuracy.workload import FamilyWorkload, TableWorkload
from release.comparison.make import table_digest
from release.distance.file import DistanceRelease
from release.log.file import MarginalLog
from release.private_release import Release
from release.statistics.blocks import ONE_HOT, REDUCED
from release.statistics.features import FeatureMap
from release.statistics.statistic import RECORD_STEPS

if TYPE_CHECKING:
    from release.data.domain import Codes


@dataclass(frozen=True, kw_only=True)
class CertifiedShare:
    """Except with probability `failure`, the real share is from `least` to `most`, whatever the real table is."""

    estimate: Fraction
    """The share in the finished table."""
    least: Fraction
    most: Fraction
    failure: Fraction
    records: int
    """Least number of records in the real table: n itself if it is public. Holds together with the rest."""
    rows: int
    route: str


def comparison_of(release: Release) -> AccuracyRelease | DistanceRelease:
    """The comparison of a finished table with the real one that a release is, or has."""
    if isinstance(release, MarginalLog) and release.distance is not None:
        return release.distance
    if isinstance(release, AccuracyRelease | DistanceRelease):
        return release
    raise NotApplicable(
        f"release: is of kind {release.KIND}, which does not compare a finished table with the real one; a release of "
        "accuracy or of distance does (noisy tables answer directly, without synthetic)"
    )


def certified_share(
    found: AccuracyRelease | DistanceRelease, codes: Codes, events: tuple[Event, ...], failure: Fraction
) -> CertifiedShare:
    """The share of an event in the finished table, and where the real one lies."""
    if not len(codes):
        raise DataError("synthetic: the table has no rows")
    if table_digest(codes, found.schema) != found.synthetic_digest:
        raise DataError("synthetic: is not the table that the release is about: its digest is different")
    estimate = _share(codes, events)
    # If n is private, the number that a release states need not be the least one: n is bounded with the errors.
    size = Fraction(found.stated_size)
    if isinstance(found, AccuracyRelease):
        cells = _cells(found, events)
        error = min(Fraction(1), cells * found.errors(failure).largest)
        least, most = estimate - error, estimate + error
        off = Fraction(found.at_most(failure)[0], RECORD_STEPS)
        route = "the largest error of an answer" + (f", {cells} cells" if cells > 1 else "")
    else:
        error = _moment_error(found, events, failure)
        growth = Fraction(0) if found.size_is_exact else found.radii(failure)[1]
        least, most = (
            (estimate - error) / (1 + growth),
            (estimate + error) / (1 - growth) if growth < 1 else Fraction(1),
        )
        off = growth * size
        route = "the distance of the moments"
    return CertifiedShare(
        estimate=estimate,
        least=max(least, Fraction(0)),
        most=min(most, Fraction(1)),
        failure=failure,
        records=found.stated_size if found.size_is_exact else max(0, ceil(size - off)),
        rows=len(codes),
        route=route,
    )


def _share(codes: Codes, events: tuple[Event, ...]) -> Fraction:
    import numpy as np

    met = np.ones(len(codes), dtype=bool)
    for event in events:
        met &= np.isin(codes[:, event.column], event.codes)
    return Fraction(int(met.sum()), len(codes))


def _cells(found: AccuracyRelease, events: tuple[Event, ...]) -> int:
    """Number of cells of a table that make up the event or its opposite, whichever is smaller."""
    workload, wanted, sizes = found.workload, {event.column for event in events}, found.schema.domain.sizes
    tables: list[set[int]] = []
    if isinstance(workload, TableWorkload):
        tables = [set(places) for places in workload.tables if wanted <= set(places)]
    elif isinstance(workload, FamilyWorkload) and workload.family.facts.name == "cells":
        tables = [wanted] if workload.degree is not None and workload.degree >= len(wanted) else []
    best: int | None = None
    for places in tables:
        inside = total = 1
        for place in places:
            inside *= next((len(event.codes) for event in events if event.column == place), sizes[place])
            total *= sizes[place]
        best = min(inside, total - inside) if best is None else min(best, inside, total - inside)
    if best is None:
        named = " x ".join(event.name for event in events)
        raise NotApplicable(f"release: says nothing about cells of {named}: its errors are over {workload.text}")
    return best


def _moment_error(found: DistanceRelease, events: tuple[Event, ...], failure: Fraction) -> Fraction:
    """Error of the event's share, or of its number of records over the stated size."""
    first, second = found.radii(failure)
    features, plain = found.feature_map, [event for event in events if event.name != found.feature_map.label]
    if len(plain) == len(events):
        if len(events) == 1 and found.size_is_exact:
            return _exact_norm(features, events[0]) * second
        error = second
        for event in events:
            error *= root_at_least(_squared_length(features, event))
        return error
    features.require_two_values("moments with a number as label do not show the shares of its values")
    # indicators of two values are (1 + y)/2 and (1 - y)/2
    if plain:
        return root_at_least(_squared_length(features, plain[0])) * (first + second) / 2
    return first / 2 if found.size_is_exact else (first + second) / 2


def _squared_length(features: FeatureMap, event: Event) -> Fraction:
    """Squared length of the shortest known v for which the indicator is v f; the intercept's entry is last."""
    inside, outside = _indicators(features, event)
    if inside is None and outside is None:
        low, high = _two_numbers(features, event)
        return (1 + max(low**2, high**2)) / (high - low) ** 2
    return Fraction(min(size for size in (inside, None if outside is None else outside + 1) if size is not None))


def _exact_norm(features: FeatureMap, event: Event) -> Fraction:
    """The same for one event if the mean of 1 is known: squares of indicators and their products with 1 both give the
    share, and their best mixture has the nuclear norm root(k + 1/4) - 1/2."""
    inside, outside = _indicators(features, event)
    if inside is None and outside is None:
        low, high = _two_numbers(features, event)
        return 1 / (high - low)
    fewest = min(size for size in (inside, outside) if size is not None)
    return root_at_least(Fraction(4 * fewest + 1)) / 2 - Fraction(1, 2)


def _indicators(features: FeatureMap, event: Event) -> tuple[int | None, int | None]:
    """How many indicators add up to that of the event, and how many to that of its opposite."""
    encoding = features.encodings[features.places.index(event.column)]
    if encoding not in (ONE_HOT, REDUCED):
        return None, None
    inside, outside = len(event.codes), event.size - len(event.codes)
    if encoding == ONE_HOT:
        return inside, outside
    return (None, outside) if 0 in event.codes else (inside, None)


def _two_numbers(features: FeatureMap, event: Event) -> tuple[Fraction, Fraction]:
    """The kind of the one feature of a column of two values."""
    block = features.blocks[features.places.index(event.column)]
    if event.size != 2 or len(block[0]) != 1 or block[0] == block[1]:
        raise NotApplicable(f"release: the features of {event.name} show only its mean, not the share of a value")
    low, high = sorted(Fraction(row[0], features.one) for row in block)
    return low, high
