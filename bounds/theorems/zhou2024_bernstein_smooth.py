"""Theorem 2.4 and its use in Appendix A.2: Bernstein polynomials of functions with a Lipschitz derivative.

Guarantee: max |P_D f - f| on [a, b] is at most the value.
"""

from bounds.model import Citation, Edition, Route, Term, Theorem

SUMMARY = "Lipschitz constant of the derivative, length of the interval and degree"

THEOREM = Theorem(
    id="zhou2024.bernstein-smooth",
    title="Bernstein polynomial of a function with Lipschitz derivative",
    guarantee="The Bernstein polynomial of degree D differs from f by at most the value on the interval.",
    citation=Citation("zhou2024", "Theorem 2.4 and Appendix A.2"),
    inputs=("curvature", "width", "D"),
    direction="value",
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    SUMMARY,
                    (Term("value", "error", lambda q, A: A.ratio(3, 4) * q.curvature * q.width / q.D),),
                ),
            ),
            changes=(
                "Telyakovskii's bound 3/(4 sqrt D) omega(f', 1/sqrt D) on [0, 1], with omega(f', t) <= Lip(f') t.",
                "Appendix A.2 carries it over to [a, b] by multiplying Lip(f') by b - a and states O(K R/(d-1)); the "
                "constant of Theorem 2.4 is filled in here. The right factor is (b-a)^2.",
                "The value is a valid bound up to b - a = 6 and can be too small beyond that, as for the logistic loss "
                "on [-5, 5] at degree 4 (error 0.5446, value 0.46875).",
            ),
        ),
        Edition(
            "corrected",
            (
                Route(
                    "right scaling",
                    SUMMARY,
                    (Term("value", "error", lambda q, A: A.ratio(3, 4) * q.curvature * q.width**2 / q.D),),
                ),
            ),
            changes=("The derivative of f(a + (b-a)u) has Lipschitz constant (b-a)^2 Lip(f').",),
            proof="zhou2024.bernstein-smooth",
        ),
        Edition(
            "sharp",
            (
                Route(
                    "second moment",
                    SUMMARY + "; attained by x^2",
                    (Term("value", "error", lambda q, A: q.curvature * q.width**2 / (8 * q.D)),),
                ),
            ),
            changes=("Taylor's formula and the variance of the binomial distribution: 1/8 in place of 3/4.",),
            proof="zhou2024.bernstein-smooth",
        ),
    ),
    see_also=("zhou2024.bernstein-lipschitz",),
)
