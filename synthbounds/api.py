"""The public Python API: thin, typed doors to the mathematics. It computes nothing itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bounds.approximation.approximate import approximate as _approximate
from bounds.approximation.result import Approximation
from bounds.errors import ParameterError, SynthboundsError, UsageError
from bounds.exact import Exact, parse_rational
from bounds.model import Theorem
from bounds.registry import all_theorems, find_theorem
from bounds.renyi import RenyiReport, condition_number
from bounds.risk.answer import RiskAnswer
from bounds.risk.compare import RiskRow
from bounds.risk.compare import compare_risk as _compare_risk
from bounds.risk.evaluate import risk as _risk
from bounds.risk.query_lower_bound import QueryLowerBound
from bounds.risk.query_lower_bound import query_lower_bound as _query_lower_bound
from bounds.sizes.require import ComparisonRow
from bounds.sizes.require import compare as _compare
from bounds.sizes.require import require as _require
from bounds.sizes.requirement import Requirement
from bounds.sizes.solve_for import Inversion
from bounds.sizes.solve_for import solve_for as _solve_for
from bounds.sizes.sweep import SweepResult
from bounds.sizes.sweep import sweep as _sweep
from bounds.values import ValueResult, evaluate_value

__all__ = [
    "Approximation",
    "ComparisonRow",
    "Inversion",
    "QueryLowerBound",
    "RenyiReport",
    "Requirement",
    "RiskAnswer",
    "RiskRow",
    "SweepResult",
    "SynthboundsError",
    "Theorem",
    "ValueResult",
    "approximate",
    "certificate",
    "check_certificate",
    "compare",
    "compare_risk",
    "evaluate",
    "lower_bound",
    "query_lower_bound",
    "renyi",
    "require",
    "risk",
    "solve_for",
    "sweep",
    "theorem",
    "theorems",
]


def require(
    *,
    p: Exact,
    measure: str | None = None,
    edition: str = "sharp",
    theorem: str | None = None,
    epsilon: Exact | None = None,
    delta: Exact | None = None,
    gamma: Exact | None = None,
    accuracy: Exact | None = None,
    failure: Exact | None = None,
    dp_delta: Exact | None = None,
    t: Exact | None = None,
    degree: Exact | None = None,
    family: str | None = None,
    queries: Exact | None = None,
    k: Exact | None = None,
    adjacency: str = "replace-one",
    release: str = "rows",
    mechanism: str | None = None,
    rows: str | None = None,
    tau1: Exact | None = None,
    tau2: Exact | None = None,
    tau: Exact | None = None,
    lipschitz: Exact | None = None,
    density_max: Exact | None = None,
    kappa: Exact | None = None,
) -> Requirement:
    """Records n, reference points m and synthetic records k that suffice, with certificates.

    The promise is accuracy 8 delta with failure probability 4 gamma; `accuracy` and `failure` may be given
    instead. Every integer is proved to be the smallest: the condition holds at it and fails one below.

    >>> paper = require(measure="uniform", edition="printed", p=3, degree=2, epsilon=".2", delta=".5", gamma=".25")
    >>> paper.n, paper.m, paper.k, paper.guarantee.vacuous
    (467, 896, 14, True)
    >>> all(term.certificate.is_valid for term in paper.terms)
    True
    """
    parameters = {name: value for name, value in locals().items() if value is not None}
    return _require(**parameters)


def compare(*, measure: str | None = None, **parameters: Any) -> tuple[ComparisonRow, ...]:
    """Every theorem and edition at the same parameters, one row each; refusals carry their reason.

    >>> rows = compare(p=10, degree=2, epsilon=".2", delta=".05", gamma=".05")
    >>> min(row.requirement.n for row in rows if row.requirement is not None)
    2038
    """
    return _compare(measure=measure, **parameters)


def solve_for(parameter: str, *, n: Exact, **question: Any) -> Inversion:
    """Smallest epsilon, delta or gamma, or largest degree, that n records allow.

    >>> answer = solve_for("epsilon", n=2000, p=10, degree=2, delta=".05", gamma=".05")
    >>> str(answer.value), answer.requirement.n, answer.neighbour_n
    ('163/800', 2000, 2001)
    """
    return _solve_for(parameter, n=n, **question)


def lower_bound(*, p: Exact, epsilon: Exact, accuracy: Exact, failure: Exact, **more: Any) -> Requirement:
    """Records below which no mechanism keeps the promise for every data set.

    >>> lower_bound(p=10, epsilon=".2", accuracy=".4", failure=".05").n
    62
    """
    if {"theorem", "measure", "edition"} & more.keys():
        raise UsageError("lower_bound has one theorem, for every measure: leave theorem, measure and edition out")
    if more.get("queries") is None and more.get("degree") is None:
        more["degree"] = 1
    return _require(theorem="synthbounds.lower-bound", p=p, epsilon=epsilon, accuracy=accuracy, failure=failure, **more)


def evaluate(theorem_id: str, *, edition: str | None = None, **quantities: Exact) -> tuple[ValueResult, ...]:
    """The value that a helper statement gives, in every edition, enclosed.

    >>> for row in evaluate("bojkovic2024.max-laplace", sigma=1, count=256, gamma=".05"):
    ...     print(row.edition, row.value.decimal(6)[1])
    printed 110.904
    corrected 8.54091
    sharp 8.51548
    """
    return evaluate_value(find_theorem(theorem_id), quantities, edition)


def renyi(nu: Sequence[Exact], mu: Sequence[Exact], through: Sequence[Exact] | None = None) -> RenyiReport:
    """Exact Rényi condition number of two probability tables, with its bounds.

    >>> renyi([".5", ".5"], [".25", ".75"]).kappa
    Fraction(4, 3)
    """

    def exact(name: str, table: Sequence[Exact]) -> list[Any]:
        if isinstance(table, str) or not isinstance(table, Sequence):
            raise ParameterError(name, type(table).__name__, "a list of probabilities")
        return [parse_rational(value, name) for value in table]

    return condition_number(exact("nu", nu), exact("mu", mu), None if through is None else exact("through", through))


def approximate(
    function: str,
    *,
    interval: str | tuple[Exact, Exact],
    degree: Exact,
    method: str = "minimax",
    marginal_error: Exact | None = None,
) -> Approximation:
    """A polynomial near a function, its error, coefficients and coefficient sum enclosed.

    Methods: minimax, optimal (with marginal_error), chebyshev, interpolation, bernstein, iterated:H, iterated:inf,
    iterated:best. The function is a name such as logistic, hinge or huber:1/2, or text such as "log(1+exp(-x))".

    >>> answer = approximate("logistic", interval=(-5, 5), degree=4)
    >>> answer.error.decimal(12)
    ('0.0202313079384', '0.0202313079385')
    >>> approximate("logistic", interval=(-5, 5), degree=4, method="iterated:best").method
    'iterated:16'
    """
    return _approximate(function, interval=interval, degree=degree, method=method, marginal_error=marginal_error)


def certificate(answer: Approximation) -> str:
    """A certificate as JSON text, accepted by the independent checker before it is returned.

    >>> check_certificate(certificate(approximate("hinge", interval="-2,2", degree=3)))
    True
    """
    from synthbounds.certificates import checked_certificate

    return checked_certificate(answer)


def check_certificate(
    text: str, *, release: str | None = None, model: str | None = None, limit: int | None = None
) -> bool:
    """Does the independent checker accept the certificate?

    With the text of a release or a model file, what the certificate of a model takes as given must be theirs;
    `synthbounds.checking.check_text` gives the reason, too. `limit` allows more steps of work.
    """
    from synthbounds.checking import check_text

    return check_text(text, release=release, model=model, limit=limit).valid


def risk(**question: Any) -> RiskAnswer:
    """Excess risk of a linear model trained on synthetic data: an upper bound, what some data have, the smallest n.

    Give the features, tau or radius, and either marginals with marginal_error, or epsilon, dp_delta and failure with n
    or target; `synthbounds risk --help` lists all parameters.

    >>> known = risk(features=10, radius=1, marginals=2, marginal_error="0.01")
    >>> known.bound.decimal(6)[1], known.route
    ('0.0130757', 'quadratic bias')
    >>> risk(features=10, radius=1, epsilon=1, dp_delta="1e-6", failure="1/1048576", target="0.1").n
    14344
    """
    return _risk(**question)


def compare_risk(**question: Any) -> tuple[RiskRow, ...]:
    """Every bound on excess risk at the same question, one row for each theorem and edition.

    >>> rows = compare_risk(features=10, radius=1, marginals=2, marginal_error="0.01")
    >>> [row.edition for row in rows if row.answer is not None and not row.answer.vacuous]
    ['sharp', 'sharp']
    """
    return _compare_risk(**question)


def query_lower_bound(*, log_n: Exact | None = None, query_constant: Exact | None = None) -> QueryLowerBound:
    """Theorem 4.1 of zhou2024: every condition of its proof, the ln n from which on it holds, and where it is empty.

    >>> report = query_lower_bound(query_constant=1)
    >>> next(c.smallest.value for c in report.conditions if "1/4" in c.statement and c.smallest)
    8886111
    """
    return _query_lower_bound(log_n=log_n, query_constant=query_constant)


def sweep(theorem_id: str, *, edition: str = "sharp", **arrays: Any) -> SweepResult:
    """Sizes over whole arrays of parameters, in floating point: estimates for plots, never certificates.

    >>> sweep("bojkovic2024.uniform", edition="printed", p=3, degree=2,
    ...       epsilon=[0.2, 0.4], delta=0.5, gamma=0.25).n_est.tolist()
    [467.0, 234.0]
    """
    return _sweep(find_theorem(theorem_id), edition, **arrays)


def theorems() -> tuple[Theorem, ...]:
    """Every statement in the registry, by id.

    >>> any(t.id == "bojkovic2024.uniform" for t in theorems())
    True
    """
    return tuple(all_theorems().values())


def theorem(theorem_id: str) -> Theorem:
    """One statement by its id.

    >>> theorem("bojkovic2024.uniform").citation.locator
    'Theorem B.1'
    """
    return find_theorem(theorem_id)
