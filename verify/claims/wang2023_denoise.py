"""Denoising of wang2023: the programmes of Section 3 and Appendix B that make noisy answers attainable."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if

HALF = Fraction(1, 2)


def _denoised_feasible() -> Evidence:
    """Support {0, 1}, q(x) = x. Inside: p with Qp = a. Outside, a = 6/5: every p > 0 can be improved."""
    a = Fraction(6, 5)
    ladder = [abs((1 - Fraction(1, 10**k)) - a) for k in range(1, 7)]
    improving = all(after < before for before, after in pairwise(ladder))
    inside = abs(Fraction(1, 3) * 0 + Fraction(2, 3) * 1 - Fraction(2, 3)) == 0
    text = (
        "a = 2/3: p = (1/3, 2/3) gives a* = a and is feasible; a = 6/5: over p > 0 the distance falls to 1/5, "
        f"e.g. {ladder[0]}, {ladder[1]}, and no p > 0 reaches it"
    )
    return confirmed_if(inside and improving and all(v > Fraction(1, 5) for v in ladder), text, with_conditions=True)


def _open_simplex_no_change() -> Evidence:
    """At a minimum in the open simplex Q'(Qp - a) is constant over the points; with full dimension Qp = a."""
    import sympy as sp

    r1, r2, level = sp.symbols("r1 r2 level", real=True)
    corners = [(0, 0), (1, 0), (0, 1)]
    solution = sp.solve([x * r1 + y * r2 - level for x, y in corners], [r1, r2, level], dict=True)
    text = (
        "on three points in general position the residual of an interior minimum is 0: then the answers are not changed"
    )
    return confirmed_if(solution == [{r1: 0, r2: 0, level: 0}], text, with_conditions=True)


def _denoising_accuracy() -> Evidence:
    """Nearest point of the interval of attainable answers."""

    def nearest(noisy: Fraction, low: Fraction, high: Fraction) -> Fraction:
        return min(max(noisy, low), high)

    truth, noisy = HALF, Fraction(6, 5)
    better = abs(nearest(noisy, Fraction(0), Fraction(1)) - truth) < abs(noisy - truth)
    never = all(
        abs(nearest(Fraction(i, 10), Fraction(0), Fraction(1)) - Fraction(t, 10))
        <= abs(Fraction(i, 10) - Fraction(t, 10))
        for i in range(-5, 16)
        for t in range(11)
    )
    outside = abs(nearest(Fraction(9, 10), Fraction(0), Fraction(2, 5)) - Fraction(9, 10))
    text = (
        "answers in [0, 1]: 1.2 becomes 1, and the error never grows in 231 cases; if the synthetic records only reach "
        f"[0, 0.4], a true and exact 0.9 becomes 0.4, an error of {outside}"
    )
    return confirmed_if(better and never and outside == HALF, text, with_conditions=True)


def _linear_programme() -> Evidence:
    """For fixed p the least t with -t <= Qp - a <= t has sum |Qp - a|."""
    values = [Fraction(i, 4) for i in range(-4, 5)]
    same = all(
        min((t for t in (Fraction(j, 4) for j in range(5)) if -t <= r <= t), default=None) == abs(r) for r in values
    )
    text = "for residuals -1, -3/4, ..., 1 the least admissible t is their absolute value, so the two problems agree"
    return confirmed_if(same, text, with_conditions=True)


def _likelihood() -> Evidence:
    import sympy as sp

    r1, r2, scale = sp.symbols("r1 r2 s", positive=True)
    laplace = sp.expand_log(sp.log(sp.exp(-r1 / scale) * sp.exp(-r2 / scale) / (2 * scale) ** 2), force=True)
    gauss = sp.expand_log(
        sp.log(sp.exp(-(r1**2) / (2 * scale**2)) * sp.exp(-(r2**2) / (2 * scale**2)) / (2 * sp.pi * scale**2)),
        force=True,
    )
    first = sp.simplify(sp.diff(laplace, r1) + 1 / scale) == 0
    second = sp.simplify(sp.diff(gauss, r1) + r1 / scale**2) == 0
    text = (
        "up to constants minus the log-likelihood is |residual|_1/s for Laplace, |residual|_2^2/(2 s^2) "
        "for Gaussian noise"
    )
    return confirmed_if(first and second, text)


C, W = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS
PAPER, SECTION, APPENDIX = "wang2023", "Section 3", "Appendix B"

CLAIMS = (
    Claim(
        "wang2023.S3.denoise",
        PAPER,
        f"{SECTION}, denoising",
        "With the denoised answers a* = Q p* the projection (3) is guaranteed to be feasible.",
        W,
        Method.EXACT,
        _denoised_feasible,
        "Where p* exists. Over the open simplex it need not: take the closed simplex, and gamma > 0 for Theorem 1.",
    ),
    Claim(
        "wang2023.S3.denoise-interior",
        PAPER,
        f"{SECTION}, denoising with p > 0",
        "The quadratic programme over p > 0 gives denoised answers.",
        W,
        Method.SYMBOLIC,
        _open_simplex_no_change,
        "If the records span all directions, a minimum with p > 0 leaves the answers as they are; only the closed "
        "simplex changes answers outside the range.",
    ),
    Claim(
        "wang2023.S3.denoise-accuracy",
        PAPER,
        f"{SECTION}, denoising",
        "Denoising could also increase the accuracy of the answers.",
        W,
        Method.EXACT,
        _denoising_accuracy,
        "It never hurts in L2 if the true answers are attainable by the synthetic records; otherwise it can.",
    ),
    Claim(
        "wang2023.B.lp",
        PAPER,
        f"{APPENDIX}, Laplace mechanism",
        "Minimising |Qp - a|_1 is a linear programme with bounds t on the residuals.",
        W,
        Method.EXACT,
        _linear_programme,
        "Over (p, t) and with p >= 0: p > 0 is no linear programme, and the minimum runs over t, too.",
    ),
    Claim(
        "wang2023.B.likelihood",
        PAPER,
        f"{APPENDIX}, denoising",
        "L1 distance for Laplace and squared L2 distance for Gaussian noise fit the mechanism used.",
        C,
        Method.SYMBOLIC,
        _likelihood,
    ),
)
