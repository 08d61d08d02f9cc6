"""Look-alike tables: one by hand, and floors that no certificate of ours falls below."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np

from mechanisms.models.train.from_release import train_from_release
from mechanisms.models.train.newton import train_on_table
from release.data.columns import LevelColumn
from release.data.schema import PUBLIC, Schema
from release.statistics.features import build_feature_map
from release.statistics.moments import moment_sums
from verify.certificate_floor import CertificateFloor, mechanism_floor, release_floor
from verify.certificate_runs import Truth, least_bound, random_table, simulated_release
from verify.claims.synthbounds_floors import same_moments


def counted(floor: CertificateFloor) -> Counter[tuple[int, ...]]:
    return Counter(map(tuple, np.repeat(floor.table.codes, floor.table.counts, axis=0).tolist()))


def by_hand(copies: int) -> Truth:
    """Copies of eight records: x = 1 with y = 1, x = -1 with y = -1, and six times x = 0 with either label."""
    columns = (LevelColumn("x", tuple("01234")), LevelColumn("y", ("no", "yes")))
    features = build_feature_map(Schema(columns, PUBLIC), label="y")
    rows = [(4, 1), (0, 0), *[(2, 1)] * 3, *[(2, 0)] * 3]
    codes = np.array(rows * copies, dtype=features.schema.domain.code_type)
    return Truth(features, codes, moment_sums(codes, features))


def test_a_table_with_the_same_moments_is_found() -> None:
    truth = by_hand(500)
    release = simulated_release(truth, 0, epsilon=Fraction(1))
    model = (Fraction(4), Fraction(0))
    floor = release_floor(truth, release, model, tau=Fraction(6), rounds=10)
    _, on_the_other = same_moments()
    assert on_the_other.lo * Fraction(99, 100) < floor.excess < on_the_other.lo * Fraction(13, 10)
    assert Fraction(1, 2) <= floor.share < Fraction(95, 100)
    assert counted(floor).total() == truth.n
    again = release_floor(truth, release, model, tau=Fraction(6), rounds=10)
    assert (again.excess, again.share, counted(again)) == (floor.excess, floor.share, counted(floor))


def test_certificates_are_above_floors() -> None:
    truth, tau = random_table(3), Fraction(6)
    release = simulated_release(truth, 3, epsilon=Fraction(1))
    model = train_from_release(release, tau=tau, points=1000).model.coefficients
    floor, general = (
        release_floor(truth, release, model, tau=tau, rounds=4),
        mechanism_floor(truth, release, model, tau=tau),
    )
    real = truth.risk(model, "logistic") - train_on_table(truth.codes, truth.feature_map, tau=tau).risk_est
    assert real * 1.01 < general.excess < floor.excess < least_bound(release, model, "logistic", tau)
    assert min(floor.share, general.share) >= Fraction(1, 2)
    # as many records are replaced, by copies of one, as the privacy of the release hides
    records = Counter(map(tuple, truth.codes.tolist()))
    k = (records - counted(general)).total()
    assert len(counted(general) - records) == 1
    assert counted(general).total() == truth.n
    assert k**2 * release.mu_squared_spent <= Fraction("1.6449") ** 2 < (k + 1) ** 2 * release.mu_squared_spent
