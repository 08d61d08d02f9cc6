"""How far certificates of models are above what no certificate from the same release can be below, on real tables.

Epsilon 1, dp_delta = 1/n^2, beta = .05, replace-one, logistic loss, first and second moments. The model is trained from
one release; `certificate` is what the tool certifies for it there. `floor` is proved in ball arithmetic for every valid
certificate of that model, in at least `share` of all releases; `floor_other_models` is the least that models from other
releases have on the same look-alike table. `any_mechanism` is the same for every mechanism with the Gaussian privacy
mu of the release. CPU seconds are of search and proof. Nothing is measured without the tables.
"""

from __future__ import annotations

import sys
import time
from fractions import Fraction
from typing import Any

from benchmarks.measure import main
from bounds.enclosure import decimal_text
from mechanisms.models.certify.from_moments import certify_model, class_for
from mechanisms.models.train.from_release import train_from_release
from mechanisms.models.train.newton import train_on_table
from verify import real_tables
from verify.certificate_floor import excess_of, mechanism_floor, release_floor
from verify.certificate_runs import real_table, simulated_release
from verify.look_alike import ROUNDS

CASES = (("adult", (5, 10, 20)), ("dutch", (5, 10, 20)), ("compas", (5,)))


def run(*, quick: bool) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, norms in CASES:
        for tau in norms[:1] if quick else norms:
            here = real_tables.is_here(name)
            key = f"{name}_tau{tau}"
            found[key] = _measured(name, Fraction(tau), quick=quick) if here else real_tables.MISSING
    return found


def _measured(name: str, tau: Fraction, *, quick: bool) -> dict[str, Any]:
    truth = real_table(name)
    releases = [simulated_release(truth, run, epsilon=Fraction(1)) for run in range(2 if quick else 5)]
    models = [train_from_release(release, tau=tau).model for release in releases]
    release, model = releases[0], models[0]
    certificate = certify_model(release, model, class_for(model)).bound
    best = train_on_table(truth.codes, truth.feature_map, tau=tau)
    start = time.process_time()
    floor = release_floor(truth, release, model.coefficients, tau=tau, rounds=4 if quick else ROUNDS)
    seconds = time.process_time() - start
    others = [excess_of(truth, floor.table, other.coefficients, tau=tau) for other in models[1:]]
    general = mechanism_floor(truth, release, model.coefficients, tau=tau)
    return {
        "excess_est": round(truth.risk(model.coefficients, model.loss) - best.risk_est, 6),
        "floor": _down(floor.excess),
        "share": _down(floor.share),
        "floor_other_models": _down(min(others)),
        "certificate": round(float(certificate), 6),
        "certificate_over_floor": round(float(certificate / floor.excess), 2),
        "distinct_records": len(floor.table.counts),
        "any_mechanism": _down(general.excess),
        "any_mechanism_share": _down(general.share),
        "cpu_s": round(seconds, 1),
    }


def _down(value: Fraction) -> float:
    """Four significant digits, rounded down, as everything that is called a floor."""
    return float(decimal_text(value, 4, up=False))


if __name__ == "__main__":
    sys.exit(main("certificate_floor", __doc__ or "", run))
