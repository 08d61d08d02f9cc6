"""The certificate of DD-SSP's logistic model on Adult, run by run, compared with its true excess and with `train`.

Integer codes, one feature a column, norm 5, epsilon 1, dp_delta 1/n^2, replace-one; simulated noise, new in every run.
The model is the best one for the surrogate within the norm, from the released moments. Its true excess over the best
model of the class on the table is mostly the bias of the surrogate; the certificate includes it, while an area under
the curve does not show it. The certificate may fail with probability 0.05 over the noise. `train` is run on the first
releases.
"""

from __future__ import annotations

import statistics
import sys
import time
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.measure import main
from bounds.clopper_pearson import interval
from mechanisms.models.certify.from_moments import certify_model, class_for
from mechanisms.models.train.from_release import train_from_release
from mechanisms.models.train.newton import mean_loss, train_on_table
from mechanisms.regression.excess import certified_excess
from mechanisms.regression.from_release import regress_release
from release.data.domain import Domain
from release.data.schema import schema_of_domain
from release.moments.make import MomentRequest
from release.statistics.features import build_feature_map
from release.statistics.moments import moment_sums
from verify import real_tables

TAU, BETA = Fraction(5), Fraction(1, 20)
TRAINED = 5


def run(*, quick: bool) -> dict[str, Any]:
    if not real_tables.is_here("adult"):
        return {"adult": f"not run: {real_tables.MISSING}"}
    names, sizes = real_tables.columns("adult"), real_tables.domain("adult")
    schema = schema_of_domain(Domain(tuple(sizes[name] for name in names), names))
    codes = real_tables.codes("adult").astype(schema.domain.code_type)
    features = build_feature_map(schema, label=names[-1], one_hot=())
    sums, n = moment_sums(codes, features), len(codes)
    distinct, counts = np.unique(codes, axis=0, return_counts=True)
    records = features.features(distinct) / float(features.one), features.labels(distinct), counts / n
    least = train_on_table(codes, features, tau=TAU).risk_est
    certified, excess, seconds, trained = [], [], [], []
    for number in range(10 if quick else 200):
        asked = MomentRequest(
            features,
            epsilon=1,
            dp_delta=Fraction(1, n * n),
            adjacency="replace-one",
            mode="simulate",
            seed=7,
            run=number,
        )
        release = asked.release_sums(sums)
        start = time.process_time()
        found = regress_release(release, {"method": "dd-ssp", "loss": "logistic", "tau": str(TAU)})
        upper = certified_excess(found, BETA).upper
        seconds.append(time.process_time() - start)
        assert upper is not None
        certified.append(float(upper))
        excess.append(mean_loss(found.model.coefficients, *records, loss="logistic") - least)
        if number < TRAINED:
            model = train_from_release(release, tau=TAU).model
            bound = certify_model(release, model, class_for(model), beta=BETA).bound
            trained.append((float(bound), mean_loss(model.coefficients, *records, loss="logistic") - least))
    missed = sum(e > c for e, c in zip(excess, certified, strict=True))
    return {
        "runs": len(certified),
        "certified_mean": round(statistics.fmean(certified), 5),
        "certified_largest": round(max(certified), 5),
        "excess_mean_est": round(statistics.fmean(excess), 5),
        "misses": missed,
        "misses_compatible_with_beta": interval(missed, len(certified))[0] <= float(BETA),
        "cpu_s": round(statistics.median(seconds), 2),
        "trained_certified_mean": round(statistics.fmean(c for c, _ in trained), 5),
        "trained_excess_mean_est": round(statistics.fmean(e for _, e in trained), 6),
    }


if __name__ == "__main__":
    sys.exit(main("surrogate_certificate", __doc__ or "", run))
