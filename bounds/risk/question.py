"""A validated question about excess risk: exact numbers, the loss on its interval, facts about the marginals."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from bounds.approximation.approximate import METHODS, read_method, require_finite
from bounds.approximation.functions import find_function
from bounds.approximation.result import Question
from bounds.errors import NotApplicable, ParameterError, UsageError
from bounds.exact import root_on_grid, show_rational
from bounds.model import EDITIONS, EditionName
from bounds.privacy.adjacency import Adjacency, read_adjacency
from bounds.risk.loss import Loss, loss_on
from bounds.risk.parameters import RISK_PARAMETERS

PRIVATE = ("epsilon", "dp_delta", "failure")
_LARGEST_RADIUS = 1000
_ROOT_BITS = 128


@dataclass(frozen=True)
class RiskQuestion:
    """Exact parameters of one question; None if nothing was given."""

    loss: Loss
    features: int
    order: int | None
    edition: EditionName
    theorem: str | None
    intercept: Fraction | None
    gap: Fraction
    approximation: str | None
    release: str
    adjacency: Adjacency
    levels: int
    marginal_error: Fraction | None
    n: int | None
    epsilon: Fraction | None
    dp_delta: Fraction | None
    failure: Fraction | None
    target: Fraction | None
    solve_for: str | None
    radius_is_rounded: bool

    @property
    def private(self) -> bool:
        return self.marginal_error is None

    @property
    def highest_order(self) -> int:
        """All attributes, including the label."""
        return self.features + 1


def build_question(**raw: object) -> RiskQuestion:
    """Parse and check raw values (text, integers, fractions); None means not given."""
    known, given = RISK_PARAMETERS, {name: value for name, value in raw.items() if value is not None}
    for name in given:
        if name not in known or name in ("log_n", "query_constant"):
            from bounds.nearest import did_you_mean

            hint = did_you_mean(name, known)
            said = f"{name[:40]} is not a parameter of a question about the risk of a model"
            raise UsageError(f"{said}: {hint}" if hint else said)
    numbers = {name: known[name].number(value) for name, value in given.items() if known[name].is_number}
    edition = known["edition"].choice(given.get("edition"))
    release = known["release"].choice(given.get("release"))
    if "features" not in numbers:
        raise UsageError("features is missing: give the number of features (--features)")
    features = int(numbers["features"])
    order = _order(numbers, given, features, release)
    distance = _distance(numbers, given)
    radius, rounded = _radius(numbers, features)
    solve_for = given.get("solve_for")
    if solve_for is not None and solve_for != "epsilon":
        raise ParameterError("solve-for", solve_for, "epsilon", "to solve for n, give only --target")
    question = RiskQuestion(
        loss=_loss(given, radius),
        features=features,
        order=order,
        edition=next(e for e in EDITIONS if e == edition),
        theorem=None if given.get("theorem") is None else str(given["theorem"]),
        intercept=numbers.get("intercept"),
        gap=numbers.get("optimisation_gap", known["optimisation_gap"].number()),
        approximation=_approximation(given, order, edition),
        release=release,
        adjacency=read_adjacency(given.get("adjacency", known["adjacency"].default)),
        levels=int(numbers.get("levels", known["levels"].number())),
        marginal_error=distance,
        n=int(numbers["n"]) if "n" in numbers else None,
        epsilon=numbers.get("epsilon"),
        dp_delta=numbers.get("dp_delta"),
        failure=numbers.get("failure"),
        target=numbers.get("target"),
        solve_for=None if solve_for is None else str(solve_for),
        radius_is_rounded=rounded,
    )
    _require_consistent(question, given)
    return question


def _order(numbers: dict[str, Fraction], given: dict[str, object], features: int, release: str) -> int | None:
    if "marginals" not in numbers:
        return None
    if release == "moments":
        raise UsageError("marginals is not for --release moments: only moments up to the second are released")
    order = int(numbers["marginals"])
    if order > features + 1:
        reason = f"there are {features + 1} attributes, including the label"
        raise ParameterError("marginals", given["marginals"], f"at most {features + 1}", reason)
    return order


def _radius(numbers: dict[str, Fraction], features: int) -> tuple[Fraction, bool]:
    """R, and whether it was rounded up: tau sqrt M is often irrational, and a larger R is still a valid bound."""
    if ("tau" in numbers) == ("radius" in numbers):
        problem = "give --tau or --radius, not both" if "tau" in numbers else "tau is missing: give --tau or --radius"
        raise UsageError(f"{problem}; R = tau sqrt M is the largest |w|_1")
    rounded = False
    if "radius" in numbers:
        radius = numbers["radius"]
    else:
        square = numbers["tau"] ** 2 * features
        radius = _root_above(square)
        rounded = radius**2 != square
    radius += numbers.get("intercept", Fraction(0))
    if radius > _LARGEST_RADIUS:
        raise NotApplicable(f"R = {float(radius):.6g}: radii up to {_LARGEST_RADIUS} are covered")
    return radius, rounded


def _root_above(square: Fraction) -> Fraction:
    """The root of a rational, exact where it is rational and otherwise rounded up in the 38th digit."""
    top, bottom = isqrt(square.numerator), isqrt(square.denominator)
    if top * top == square.numerator and bottom * bottom == square.denominator:
        return Fraction(top, bottom)
    return root_on_grid(square, Fraction(1, 2**_ROOT_BITS))


def _loss(given: dict[str, object], radius: Fraction) -> Loss:
    try:
        function = find_function(given.get("loss", RISK_PARAMETERS["loss"].default), "loss")
    except ParameterError as error:
        name = error.name.replace("function", "loss", 1)
        raise ParameterError(name, error.value, error.allowed, error.reason) from None
    try:
        require_finite(Question.of(function, -radius, radius))
        return loss_on(function, radius)
    except NotApplicable as error:
        raise NotApplicable(str(error).replace("function", "loss", 1)) from None


def _approximation(given: dict[str, object], order: int | None, edition: str) -> str | None:
    method = given.get("approximation")
    if method is None:
        return None
    name, _ = read_method(method, "approximation")
    if edition != "sharp":
        raise UsageError(f"approximation is for the sharp edition: the {edition} one has Bernstein polynomials")
    if order is None:
        raise UsageError("approximation needs --marginals D: its degree is the largest even number up to D")
    highest = METHODS[name].highest_degree
    if 2 * (order // 2) > highest:
        raise ParameterError("marginals", order, f"at most {highest + 1}", f"degrees of the approximation {name}")
    return str(method).strip()


def _distance(numbers: dict[str, Fraction], given: dict[str, object]) -> Fraction | None:
    """s, if it is given: as shares, or in counts for sizes that may differ."""
    if "nu" not in numbers:
        if "k" in numbers:
            raise UsageError("k is for --nu: private marginals lead to n synthetic records")
        return numbers.get("marginal_error")
    if "marginal_error" in numbers:
        raise UsageError("give --marginal-error or --nu, not both: the first is the second over n")
    if "n" not in numbers:
        raise UsageError("n is missing: nu in counts needs the number of records")
    n, k = numbers["n"], numbers.get("k", numbers["n"])
    if numbers["nu"] < abs(n - k):
        raise ParameterError(
            "nu", given["nu"], f"at least |n - k| = {abs(n - k)}", "the totals alone differ by that much"
        )
    s = (numbers["nu"] + abs(n - k)) / max(n, k)
    if s > 2:
        most = show_rational(2 * max(n, k) - abs(n - k))
        raise ParameterError("nu", given["nu"], f"at most {most}", "two tables are at most 2 apart in L1, as shares")
    return s


def _require_consistent(question: RiskQuestion, given: dict[str, object]) -> None:
    privately = [name for name in PRIVATE if name in given]
    if question.release == "moments" and question.edition != "sharp":
        raise UsageError(f"edition = {question.edition}: moments have a sharp edition only")
    if question.release == "moments" and question.marginal_error is not None:
        raise UsageError("release moments is for private releases: give --epsilon, --dp-delta and --failure")
    if question.release == "moments" and question.levels > 2:
        raise UsageError(f"levels = {question.levels}: moments are for features that are -1 or 1")
    if question.release == "moments" and question.approximation is not None:
        raise UsageError("approximation is for --release marginals: moments carry degree 2, and the best is used")
    if question.marginal_error is not None:
        if privately:
            raise UsageError(f"{privately[0]} is for private marginals: give it or --marginal-error, not both")
        if question.target is not None:
            raise UsageError("target needs private marginals: give --epsilon, --dp-delta and --failure instead")
        if question.order is None:
            raise UsageError("marginals is missing: give the order D of the marginals (--marginals)")
        if "n" in given and "nu" not in given:
            raise UsageError("n is for --nu or for private marginals: a marginal error in shares does not need it")
        for name in ("levels", "adjacency", "solve_for"):
            if name in given:
                raise UsageError(f"{name} is for private marginals: marginals with a known error do not need it")
        return
    wanted = [name for name in PRIVATE if not (name == "epsilon" and question.solve_for)]
    for name in wanted:
        if name not in given:
            option = "--" + name.replace("_", "-")
            raise UsageError(f"{name} is missing: give {option}, or --marginal-error S if their error is known")
    if question.solve_for is not None:
        if question.epsilon is not None:
            raise UsageError("epsilon is given but is also to be solved for: leave epsilon out")
        if question.n is None or question.target is None:
            raise UsageError("solve-for epsilon needs --n and --target")
        return
    if (question.n is None) == (question.target is None):
        problem = "give --n for the bound or --target for the smallest n"
        raise UsageError(f"{problem}, not both" if question.n is not None else f"n is missing: {problem}")
