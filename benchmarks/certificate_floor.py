"""How far certificates of models are above the floor for all certificates from the same release, on real tables.

Epsilon 1, dp_delta = 1/n^2, beta = .05, replace-one, logistic loss, first and second moments. The model is trained from
one release; `certificate` is the bound that the tool certifies for it there. `floor` is proved in ball arithmetic for
every valid certificate of that model, in at least `share` of all releases; `floor_other_models` is the least floor of
models from other releases on the same look-alike table. `any_mechanism` is the same for every mechanism with the
Gaussian privacy mu of the release. CPU seconds are those of search and proof. Nothing is measured without the tables.
"""

from __future__ import annotations

import sys
import time
from fractions import Fraction
from typing import Any

from benchmarks.measure import main
from bounds.enclosure import decimal_text
from mechanisms.models.train.newton import train, train_on_table
from mechanisms.models.train.synthetic import tilted_points
from mechanisms.models.train.targets import release_targets
from verify import real_tables
from verify.certificate_floor import Model, excess_of, mechanism_floor, release_floor
from verify.certificate_runs import BETA, least_bound, real_table, simulated_release
from verify.look_alike import LOSS, ROUNDS

CASES = (("adult", (5, 10, 20)), ("dutch", (5, 10, 20)), ("compas", (5,)))
EPSILON = Fraction(1)
RELEASES = 3
"""Releases of every table: the first gives the model, the others give further models."""


def run(*, quick: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"epsilon": float(EPSILON), "beta": float(BETA), "releases": 2 if quick else RELEASES}
    for name, norms in CASES:
        if not real_tables.is_here(name):
            found[name] = real_tables.MISSING
            continue
        study = _Study(name, found["releases"])
        for tau in norms[:1] if quick else norms:
            key = f"{name}_tau{tau}"
            found[key] = study.measure(Fraction(tau), rounds=5 if quick else ROUNDS)
            sys.stderr.write(f"{key}: {found[key]}\n")
    return found


class _Study:
    """One table with its releases and the synthetic points of each."""

    def __init__(self, name: str, releases: int) -> None:
        self.truth = real_table(name)
        self.releases = [simulated_release(self.truth, run, epsilon=EPSILON) for run in range(releases)]
        self.points = [tilted_points(release_targets(release), seed=0) for release in self.releases]

    def models(self, tau: Fraction) -> list[Model]:
        norm = self.truth.feature_map.squared_norm
        return [train(p.features, p.labels, p.weights, squared_norm=norm, tau=tau).coefficients for p in self.points]

    def measure(self, tau: Fraction, *, rounds: int) -> dict[str, Any]:
        truth, release = self.truth, self.releases[0]
        model, *others = self.models(tau)
        certificate = least_bound(release, model, LOSS, tau)
        best = train_on_table(truth.codes, truth.feature_map, tau=tau)
        start = time.process_time()
        floor = release_floor(truth, release, model, tau=tau, rounds=rounds)
        seconds = time.process_time() - start
        general = mechanism_floor(truth, release, model, tau=tau)
        return {
            "excess_est": round(truth.risk(model, LOSS) - best.risk_est, 6),
            "floor": _down(floor.excess),
            "share": _down(floor.share),
            "floor_other_models": _down(min(excess_of(truth, floor.table, other, tau=tau) for other in others)),
            "certificate": round(float(certificate), 6),
            "certificate_over_floor": round(float(certificate / floor.excess), 2),
            "records": len(floor.table.counts),
            "any_mechanism": _down(general.excess),
            "any_mechanism_share": _down(general.share),
            "cpu_s": round(seconds, 1),
        }


def _down(value: Fraction) -> float:
    """Four significant digits, rounded down like everything that is called a floor."""
    return float(decimal_text(value, 4, up=False))


if __name__ == "__main__":
    sys.exit(main("certificate_floor", __doc__ or "", run))
