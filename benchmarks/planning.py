"""How near forecasts of certificates come to the certificates themselves, on real tables.

Logistic loss, replace-one, dp_delta = 1/n^2, confidence 0.95. A forecast is made once from the reference population,
which uses only the numbers of records and features, and once from an earlier release of the same table at epsilon 1.
Its ratio to the mean certificate over draws of release, synthetic records and model is recorded; above 1 it was too
large. Queries get 2/5 of the budget. CPU seconds are those of one plan. Nothing is measured without the tables.
"""

from __future__ import annotations

import statistics
import sys
import time
from fractions import Fraction
from typing import Any

from benchmarks.confirm import feature_map_of
from benchmarks.measure import main
from mechanisms.models.certify.from_moments import class_for
from mechanisms.models.confirm.prove import confirm
from mechanisms.models.model import Model
from mechanisms.models.plan.certificate_plan import Planner, Question
from mechanisms.models.plan.improve import without_proof
from mechanisms.models.plan.reference import Guess, like, reference
from mechanisms.models.query_parameters import GRADIENT
from mechanisms.models.train.from_release import train_from_release
from release.gradient.make import ask_gradient
from release.moments.file import MomentRelease
from release.moments.make import Asked
from release.statistics.moments import moment_sums
from verify import real_tables

BETA = Fraction(1, 20)
EPSILONS = (Fraction(1, 2), Fraction(1), Fraction(2))
NORMS = (Fraction(2), Fraction(5), Fraction(10))
QUERY_SHARE = Fraction(2, 5)
POINTS = 6000
SEED = 11
EARLIER = 1000
"""The run of the earlier release; no draw has the same noise."""


def run(*, quick: bool) -> dict[str, Any]:
    draws = 1 if quick else 3
    found: dict[str, Any] = {"draws": draws, "query_share": str(QUERY_SHARE)}
    for name in ("adult",) if quick else real_tables.NAMES:
        found[name] = _Study(name).measure(draws) if real_tables.is_here(name) else real_tables.MISSING
    return found


class _Study:
    def __init__(self, name: str) -> None:
        self.features = feature_map_of(name)
        self.codes = real_tables.codes(name)
        self.n = len(self.codes)
        self.sums = moment_sums(self.codes, self.features)

    def release(self, epsilon: Fraction, run: int, reserve: Fraction = Fraction(0)) -> MomentRelease:
        asked = Asked(
            self.features,
            epsilon=epsilon,
            dp_delta=Fraction(1, self.n**2),
            adjacency="replace-one",
            mode="simulate",
            reserve=reserve,
            seed=SEED,
            run=run,
        )
        return asked.release(self.sums)

    def measure(self, draws: int) -> dict[str, Any]:
        guesses = {"reference": reference(self.features.size), "like": like(self.release(Fraction(1), EARLIER))}
        found: dict[str, Any] = {"n": self.n, "features": self.features.size}
        for tau in NORMS:
            planners = {name: Planner(guess, self._class(tau)) for name, guess in guesses.items()}
            for epsilon in EPSILONS:
                certificate = statistics.mean(self.certificate(tau, epsilon, draw) for draw in range(draws))
                query = statistics.median(self.query(tau, epsilon, draw) for draw in range(draws))
                row: dict[str, Any] = {"certificate": round(certificate, 6), "query": round(query, 6)}
                for name, planner in planners.items():
                    question = Question(n=self.n, epsilon=epsilon, compared_with=self._class(tau))
                    plan = planner.plan(question)
                    (asked,) = (q for q in planner.queries(question, (QUERY_SHARE,)) if q.ask == GRADIENT)
                    row[f"{name}_ratio"] = round(plan.bound_est / certificate, 2)
                    row[f"{name}_query_ratio"] = round(asked.bound_est / query, 2)
                    row[f"{name}_says_query_pays"] = plan.query_pays
                found[f"tau {tau}, epsilon {float(epsilon)}"] = row
        for name, guess in guesses.items():
            found[f"{name}_cpu_seconds"] = round(self.seconds(guess), 2)
        return found

    def certificate(self, tau: Fraction, epsilon: Fraction, draw: int) -> float:
        """The certificate of degree 2 from the search; the proof adds a thousandth."""
        release = self.release(epsilon, draw)
        model = train_from_release(release, tau=tau, points=POINTS).model
        return without_proof(release, model, class_for(model), beta=BETA)

    def query(self, tau: Fraction, epsilon: Fraction, draw: int) -> float:
        release = self.release(epsilon, draw, QUERY_SHARE)
        model = train_from_release(release, tau=tau, points=POINTS).model
        asked = ask_gradient(self.codes, release, model.coefficients, seed=SEED, run=draw)
        return float(confirm(asked.query, asked.release, failure=BETA, tau=tau).bound)

    def seconds(self, guess: Guess) -> float:
        start = time.process_time()
        compared_with = self._class(Fraction(5))
        Planner(guess, compared_with).plan(Question(n=self.n, epsilon=Fraction(1), compared_with=compared_with))
        return time.process_time() - start

    def _class(self, tau: Fraction) -> Any:
        zero = (Fraction(0),) * self.features.size
        return class_for(Model(feature_map=self.features, coefficients=zero, tau=tau))


if __name__ == "__main__":
    sys.exit(main("planning", __doc__ or "", run))
