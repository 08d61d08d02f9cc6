"""Private-PGM, AIM and the conversion of zCDP in zhou2024, Appendix C."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import floor

from flint import arb

from bounds.enclosure import Enclosure, as_fmpq, decimal_text, precision
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.concentrated import largest_rho, zcdp_delta
from bounds.privacy.gaussian import gaussian_delta
from bounds.privacy.statements import ZCDP, GaussianDP
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if, inconsistent_if

REPLACE = Adjacency.REPLACE_ONE
SIZES = {"adult": 48842, "churn": 4824, "compas": 7214, "dutch": 60420, "heart": 303, "law": 20798}
"""Numbers of records of the published tables."""


def _variance() -> Evidence:
    import sympy

    count, log = sympy.symbols("Q T", positive=True)
    of_root = sympy.simplify(2 * sympy.sqrt(2 * count) ** 2 * log)
    under_root = sympy.simplify(2 * sympy.sqrt(2 * count**2) * log)
    same = of_root == 4 * count * log and sympy.simplify(of_root / under_root - sympy.sqrt(2)) == 0
    text = (
        "Delta^2 = (sqrt(2|Q|))^2 in Theorem 2.6 gives 4|Q| log(1.25/delta)/epsilon^2; with the square under the root "
        "it would be 2 sqrt(2) |Q| log(1.25/delta)/epsilon^2, smaller by a factor of sqrt 2"
    )
    return confirmed_if(bool(same), text, with_conditions=True)


def _column() -> Evidence:
    """The remainders of counts that sum to n sum to a whole number, at most the number of nonzero remainders."""
    holds, cases = True, 0
    for parts in product(range(8), repeat=3):
        rest = 12 - sum(parts) / Fraction(3)
        if rest < 0:
            continue
        mu = [*(Fraction(p, 3) for p in parts), rest]
        left = 12 - sum(floor(x) for x in mu)
        remainders = [x - floor(x) for x in mu]
        holds = holds and sum(remainders) == left and left <= sum(1 for p in remainders if p)
        cases += 1
    text = (
        "n minus the sum of the whole parts is the sum of the remainders, a whole number, and each of them is below "
        f"1: so there are enough values with a nonzero remainder; asserted for {cases} vectors with sum 12"
    )
    return confirmed_if(holds, text, with_conditions=True)


def _zcdp() -> Evidence:
    """With u = e^(loss - epsilon), delta is a mean of (1 - 1/u)_+, at most M u^(alpha-1), M the largest quotient."""
    import sympy

    u, order = sympy.symbols("u alpha", positive=True)
    quotient = (1 - 1 / u) * u ** (1 - order)
    at = order / (order - 1)
    slope = sympy.simplify(sympy.diff(quotient, u) * u ** (order + 1) - (order - (order - 1) * u)) == 0
    stated = (1 - 1 / order) ** order / (order - 1)
    largest = sympy.simplify(sympy.expand_log(sympy.log(quotient.subs(u, at) / stated), force=True)) == 0
    above, shown = [], []
    for rho, epsilon in (("1/10", "2"), ("1/2", "3"), ("1/50", "1"), ("1", "8")):
        bound = zcdp_delta(ZCDP(rho=Enclosure.of(Fraction(rho)), adjacency=REPLACE), epsilon=epsilon).delta
        noise = GaussianDP(mu_squared=2 * Fraction(rho), adjacency=REPLACE)
        exact = gaussian_delta(noise, epsilon=epsilon).delta
        above.append(bound.lo > exact.hi)
        shown.append(f"{decimal_text(bound.hi, 4, up=True)} against {decimal_text(exact.lo, 4, up=False)}")
    text = (
        "(1 - 1/u) u^(1 - alpha) is largest at u = alpha/(alpha - 1), with the value (1 - 1/alpha)^alpha/(alpha - 1), "
        "and zCDP bounds the mean of e^((alpha - 1) loss) by e^((alpha - 1) alpha rho). Gaussian noise, which is "
        "rho-zCDP exactly, at (rho, epsilon) = (1/10, 2), (1/2, 3), (1/50, 1), (1, 8): delta of the proposition "
        f"against the exact delta: {', '.join(shown)}"
    )
    return confirmed_if(slope and largest and all(above), text)


def _budgets() -> Evidence:
    safe, shown = True, []
    for name, n in SIZES.items():
        found = largest_rho(epsilon=2, dp_delta=Fraction(1, n**2), adjacency=REPLACE)
        statement = ZCDP(rho=Enclosure.of(found.safe_rho), adjacency=REPLACE)
        safe = safe and zcdp_delta(statement, epsilon=2).delta.hi <= Fraction(1, n**2)
        shown.append(f"{name} {decimal_text(found.rho.lo, 6, up=False)}")
    return confirmed_if(safe, f"largest rho with epsilon = 2 and delta = 1/n^2: {', '.join(shown)}")


def _aim_budget() -> Evidence:
    text = (
        "the paper on AIM was not read, and this text gives neither the shares of the budget for choosing and "
        "measuring nor the rule of the last round, on which the total over the rounds depends"
    )
    return Evidence(Verdict.OPEN, text)


def _proportional() -> Evidence:
    """Two queries; one record changes the distance of the first from 0 to 1. Epsilon = 1, sensitivity 1."""
    before, after = (Fraction(0), Fraction(1)), (Fraction(1), Fraction(1))
    chances = [scores[0] / sum(scores) for scores in (before, after)]
    with precision(96):
        first, second = 1 / (1 + (arb(1) / 2).exp()), arb(1) / 2
        within = bool(second / first < arb(1).exp())
        text = (
            "probabilities proportional to the exponentials of half the scores change by a factor of "
            f"{(second / first).str(5, radius=False)} < e from distances (0, 1) to (1, 1), as the exponential "
            f"mechanism allows; proportional to the distances they would go from {chances[0]} to {chances[1]}"
        )
        return confirmed_if(within and chances[0] == 0, text, with_conditions=True)


def choice_failure(scores: list[Fraction], epsilon: Fraction, sensitivity: Fraction, lambda2: Fraction) -> arb:
    """P(the exponential mechanism chooses a score more than (2 D/epsilon)(log|Q| + lambda2) below the best)."""
    weights = [(as_fmpq(epsilon * s / (2 * sensitivity)) * arb(1)).exp() for s in scores]
    slack = 2 * as_fmpq(sensitivity / epsilon) * (arb(len(scores)).log() + as_fmpq(lambda2))
    best = max(scores)
    bad = sum((w for w, s in zip(weights, scores, strict=True) if not as_fmpq(best - s) <= slack), arb(0))
    return bad / sum(weights, arb(0))


def _aim_confidence() -> Evidence:
    with precision(128):
        worst = arb(0)
        for count, epsilon, lambda2 in ((2, 1, 1), (5, 2, 1), (50, 1, 2), (400, 1, 3)):
            gap = 2 * Fraction(3) / epsilon * (Fraction(int(float(arb(count).log()) * 1000) + 1, 1000) + lambda2)
            for steps in range(1, 4):
                scores = [Fraction(0), *([-gap * steps] * (count - 1))]
                found = choice_failure(scores, Fraction(epsilon), Fraction(3), Fraction(lambda2)) * arb(lambda2).exp()
                worst = found if bool(found > worst) else worst
        weighted = (arb(3) / 10 / arb(2).sqrt()).erfc() / 2
        stated = (-arb(9) / 2).exp()
        text = (
            "true marginals: each of the |Q| candidates further below the best than the bound has at most "
            "e^(-lambda2)/|Q| of the weight of the best, so the choice fails with probability at most e^(-lambda2) "
            f"({worst.str(5, radius=False)} times that in twelve extreme cases), and the lambda1 term is not needed; "
            "with the noisy marginal in B_q, one cell, weight 10 and lambda1 = 3 the measurement alone fails with "
            f"probability {weighted.str(6, radius=False)}, not {stated.str(5, radius=False)}"
        )
        return confirmed_if(bool(worst <= 1) and bool(weighted > stated), text, with_conditions=True)


def _indices() -> Evidence:
    """Two binary attributes: the marginal of both has four counts, the marginal of one has two."""
    of_both, of_one = list(product(range(2), repeat=2)), list(product(range(2), repeat=1))
    text = (
        f"q of two binary attributes and q_i of one: M_q has {len(of_both)} entries, h_(q_i) has {len(of_one)}, so "
        "their difference is not defined; the round is i on the left and t in B_q"
    )
    return inconsistent_if(len(of_both) != len(of_one), text)


def _indices_by_distances() -> Evidence:
    """Two columns of two values, weights 1: whichever is chosen, the bound for the other is read as printed."""
    real, model = {"a": (10, 0), "b": (0, 10)}, {"a": (0, 10), "b": (10, 0)}

    def distance(x: tuple[int, ...], y: tuple[int, ...]) -> int:
        return sum(abs(u - v) for u, v in zip(x, y, strict=True))

    sides = [(distance(real[q], model[q]), distance(model[q], real[chosen])) for q, chosen in (("a", "b"), ("b", "a"))]
    with precision(64):
        slack = 4 * arb(2).sqrt() / 100 + arb(2) / 10 * (arb(2).log() + 5)  # lambda1 = 4, lambda2 = 5, sigma = 1/100
        fails = all(bool(left > right + slack) for left, right in sides)
        text = (
            f"two candidates, each {sides[0][0]} off: as printed the bound for the one that was not chosen is "
            f"{sides[0][1]} + {slack.str(3, radius=False)} at epsilon = 10, sigma = 1/100, lambda1 = 4, lambda2 = 5, "
            "so it always fails"
        )
    return inconsistent_if(fails, text)


def _mean_noise() -> Evidence:
    import sympy

    x, sigma = sympy.symbols("x sigma", positive=True)
    density = sympy.exp(-(x**2) / (2 * sigma**2)) / (sigma * sympy.sqrt(2 * sympy.pi))
    primitive = -(sigma**2) * density  # of x times the density
    derived = sympy.simplify(sympy.diff(primitive, x) - x * density) == 0
    mean = sympy.simplify(2 * -primitive.subs(x, 0))
    same = sympy.simplify(mean - sigma * sympy.sqrt(2 / sympy.pi)) == 0
    return confirmed_if(bool(derived and same), f"E|N(0, sigma^2)| = {mean}; for n_q cells it is n_q times that")


CONFIRMED, CONDITIONS = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS
ZCDP_PAGE, AIM_PAGE = ("zhou2024.zcdp",), ("zhou2024.aim-confidence",)
CLAIMS = (
    Claim("zhou2024.C1.variance", "zhou2024", "Appendix C.1",
          "Noise of variance 2 (sqrt(2|Q|))^2 log(1.25/delta)/epsilon^2 on every count is what Theorem 2.6 requires.",
          CONDITIONS, Method.SYMBOLIC, _variance,
          "True if the root is squared: 4|Q| log(1.25/delta)/epsilon^2. In our text of the paper the square is under "
          "the root, which may be an artefact of the scan.", ("zhou2024.gaussian-mechanism", "zhou2024.sensitivity"),
          severity=Severity.READING, depends_on=("zhou2024.T26.private", "zhou2024.A3.sensitivity"),
          quote="with variance, $\\sigma^2 = \\frac{2\\sqrt{2|Q|^2} \\log(1.25/\\delta)}{\\epsilon^2}$"),
    Claim("zhou2024.C1.column", "zhou2024", "Algorithm 5",
          "n minus the sum of the rounded counts items can be drawn without replacement from the remainders.",
          CONDITIONS, Method.EXACT, _column, "True if the fractional counts sum to n, as their name says.",
          scope=Scope.REASONED, quote="items (without replacement) from distribution proportional to $p_t$"),
    Claim("zhou2024.TC1.budget", "zhou2024", "Theorem C.1",
          "AIM is rho-zCDP for every limit T >= m on the iterations.",
          Verdict.OPEN, Method.READING, _aim_budget,
          "The paper quotes this from the paper on AIM and does not repeat the algorithm. For records added or "
          "removed, one Gaussian measurement costs 1/(2 sigma^2) and one choice epsilon^2/8.",
          ZCDP_PAGE, scope=Scope.INSTANCES,
          quote="where T is a user-specified limit on the number of iterations, and $\\rho \\ge 0$, AIM satisfies "
          "$\\rho$-zCDP"),
    Claim("zhou2024.PC2.conversion", "zhou2024", "Proposition C.2",
          "rho-zCDP implies (epsilon, delta)-privacy with delta the minimum over alpha > 1 of "
          "exp((alpha-1)(alpha rho - epsilon))/(alpha-1) (1 - 1/alpha)^alpha.",
          CONFIRMED, Method.SYMBOLIC, _zcdp, theorems=ZCDP_PAGE, scope=Scope.ALL_CASES,
          quote="it also satisfies $(\\epsilon, \\delta)$-differential privacy for all $\\epsilon \\ge 0$"),
    Claim("zhou2024.PC2.budgets", "zhou2024", "Proposition C.2, with Section 1.1",
          "The guarantee of AIM converts to (2, 1/n^2)-privacy for the six tables.",
          CONFIRMED, Method.BALL, _budgets, theorems=ZCDP_PAGE, scope=Scope.ALL_CASES,
          depends_on=("zhou2024.PC2.conversion", "zhou2024.TC1.budget"),
          quote="we observed that, when with $(2, \\frac{1}{n^2})$-DP, the accuracy of the model"),
    Claim("zhou2024.C2.proportional", "zhou2024", "Appendix C.2, second and fifth paragraphs",
          "AIM chooses a marginal with probability proportional to its quality score, and that is the exponential "
          "mechanism.", CONDITIONS, Method.EXACT, _proportional,
          "The probability is proportional to the exponential of the score, as the fifth paragraph says; the second is "
          "loosely worded.",
          AIM_PAGE, severity=Severity.READING,
          quote="with probability proportional to $q_i$'s quality score [...] is formally known as the exponential "
          "mechanism"),
    Claim("zhou2024.TC3.statement", "zhou2024", "Theorem C.3",
          "With probability 1 - exp(-lambda1^2/2) - exp(-lambda2) the model's marginals are within the stated bound of "
          "the real ones for all candidates of the round.",
          CONDITIONS, Method.BALL, _aim_confidence,
          "True with q_i and i for q and t in B_q, and the true marginal as printed; then lambda1 is not needed, and "
          "the bound cannot be published. With the measured marginal in B_q, lambda1 needs the factor w_(q_i).",
          AIM_PAGE,
          severity=Severity.READING, scope=Scope.REASONED,
          quote="For all $q \\in Q_i$, with probability at least $1 - e^{-\\lambda_1^2/2} - e^{-\\lambda_2}$"),
    Claim("zhou2024.TC3.indices", "zhou2024", "Theorem C.3, the display of B_q",
          "B_q compares the marginal of the chosen query in the model of the round with the real one.",
          Verdict.INCONSISTENT, Method.EXACT, _indices,
          "As printed, B_q compares the marginal of q in a round t with the real one of q_i. M_(q_i) of the model of "
          "round i - 1 is meant.", AIM_PAGE, again=_indices_by_distances, severity=Severity.SLIP,
          quote="w_{q_i} \\| M_q(\\hat{\\mathcal{D}}_{t-1}) - \\mathbf{h}_{q_i}^{(r)}"),
    Claim("zhou2024.TC3.mean-noise", "zhou2024", "Theorem C.3",
          "sqrt(2/pi) sigma n_q is the mean L1 norm of the noise of a marginal of n_q cells.",
          CONFIRMED, Method.SYMBOLIC, _mean_noise, theorems=AIM_PAGE,
          quote="\\sqrt{2/\\pi} \\sigma_i (w_q n_q - w_{q_i} n_{q_i})"),
)  # fmt: skip
