"""What `certify` expects from changes, compared with the certificates after them, and the cost of plans.

Logistic loss, replace-one, epsilon 1, dp_delta = 1/n^2, confidence 0.95, one draw of release and model on Adult. An
estimate is made from the release before the change; the certificate is for a release and a model made after it. CPU
seconds are those of plans and targets from the reference population, with 14 features unless a name says otherwise, and
of the whole list of improvements. Tables that are not available are skipped.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from benchmarks.measure import main
from mechanisms.models.certify.from_moments import ModelCertificate, certify_model, class_for
from mechanisms.models.model import Model
from mechanisms.models.plan.certificate_plan import Planner, Question
from mechanisms.models.plan.improve import SHRUNK, improvements
from mechanisms.models.plan.reference import Guess, reference
from mechanisms.models.train.from_release import train_from_release
from verify import real_tables
from verify.certificate_runs import real_table, simulated_release

EPSILON = Fraction(1)
NORMS = (Fraction(5), Fraction(2))
PLANNED_FEATURES = (14, 66, 200)
TARGET = Fraction("0.015")


def run(*, quick: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"epsilon": int(EPSILON)}
    for name in ("adult", "dutch"):
        if not real_tables.is_here(name):
            found[name] = real_tables.MISSING
            continue
        for tau in NORMS[:1] if quick or name != "adult" else NORMS:
            found[f"{name}, tau {tau}"] = _changes(name, tau, measure=name == "adult")
    for features in PLANNED_FEATURES[: 1 if quick else None]:
        found[f"plan_{features}_features_cpu_s"] = _plan_seconds(features)
    found["plan_fourth_cpu_s"] = _plan_seconds(PLANNED_FEATURES[0], fourth=True)
    found["target_cpu_s"] = _target_seconds(fourth=False)
    found["target_fourth_cpu_s"] = _target_seconds(fourth=True)
    return found


def _changes(name: str, tau: Fraction, *, measure: bool) -> dict[str, Any]:
    before = _certificate(name, tau)
    estimates, seconds = _timed(lambda: improvements(before))
    row: dict[str, Any] = {"none": _short(before.bound), "improvements_cpu_s": seconds}
    if measure:
        after = {
            "epsilon": _certificate(name, tau, epsilon=2 * EPSILON),
            "tau": _certificate(name, tau * SHRUNK),
            "fourth": _certificate(name, tau, fourth=True),
        }
        expected = {change.name: change.bound_est for change in estimates}
        for change, certificate in after.items():
            row[f"{change}_estimate"] = _short(expected[change])
            row[f"{change}_certificate"] = _short(certificate.bound)
    return row


def _certificate(name: str, tau: Fraction, epsilon: Fraction = EPSILON, *, fourth: bool = False) -> ModelCertificate:
    release = simulated_release(real_table(name, fourth=fourth), 0, epsilon=epsilon, fourth=fourth)
    model = train_from_release(release, tau=tau).model
    return certify_model(release, model, class_for(model))


def _short(value: Fraction | float) -> float:
    return float(f"{float(value):.3g}")


def _plan_seconds(features: int, *, fourth: bool = False) -> float:
    guess = reference(features)
    question = _question(guess, n=50_000, fourth=fourth)
    return _timed(lambda: Planner(guess, question.compared_with).plan(question))[1]


def _target_seconds(*, fourth: bool) -> float:
    guess = reference(PLANNED_FEATURES[0])
    question = _question(guess, n=2, fourth=fourth)
    return _timed(lambda: Planner(guess, question.compared_with).with_records(question, TARGET))[1]


def _question(guess: Guess, *, n: int, fourth: bool) -> Question:
    zero = Model(feature_map=guess.feature_map, coefficients=(Fraction(0),) * guess.size, tau=NORMS[0])
    return Question(n=n, epsilon=EPSILON, compared_with=class_for(zero), fourth=fourth)


def _timed(make: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    made = make()
    return made, round(time.process_time() - start, 2)


if __name__ == "__main__":
    sys.exit(main("improving", __doc__ or "", run))
