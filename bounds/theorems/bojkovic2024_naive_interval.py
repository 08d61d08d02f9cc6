"""Section V-A, a): the coverage of the usual interval when synthetic rows are treated as independent records.

Guarantee: the coverage of the interval tends to the value as the numbers of records and rows grow.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem
from bounds.quantities import Quantities

SETTING = (
    Hypothesis("the interval is the share of k rows plus or minus the normal quantile times sqrt(p(1 - p)/k)"),
    Hypothesis("the share is released with Gaussian noise of standard deviation noise_sd"),
    Hypothesis("n and k are large, with k/n and k noise_sd^2 held fixed; the coverage is exact only in the limit"),
)


def _excess(q: Quantities, A: Arithmetic) -> Number:
    """Variance of the noisy share over the variance that k independent records would have."""
    return q.k / q.n + q.k * q.noise_sd**2 / (q.proportion * (1 - q.proportion))


def _rounded(q: Quantities, A: Arithmetic) -> Number:
    return A.normal_within(A.normal_max_quantile(A.ratio(1), q.gamma) / A.sqrt(_excess(q, A)))


def _drawn(q: Quantities, A: Arithmetic) -> Number:
    return A.normal_within(A.normal_max_quantile(A.ratio(1), q.gamma) / A.sqrt(1 + _excess(q, A)))


THEOREM = Theorem(
    id="bojkovic2024.naive-interval",
    title="Coverage when synthetic rows are treated as records",
    guarantee="The usual interval of level 1 - gamma, computed from synthetic rows as if they were independent "
    "records, covers the proportion with a probability that tends to the value.",
    citation=Citation("bojkovic2024", "Section V-A, a)"),
    inputs=("gamma",),
    direction="value",
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    "asymptotically valid if k = o(n)",
                    (Term("value", "coverage", lambda q, A: 1 - q.gamma),),
                    hypotheses=(Hypothesis("k = o(n)"),),
                ),
            ),
            changes=(
                "The constant of the interval is left open by the paper; here it is the usual normal quantile.",
                "k = o(n) does not suffice: with the noise of Theorem II.1 and the least k, for a fixed number of "
                "queries, the noise is of the order of the half-width.",
            ),
        ),
        Edition(
            "sharp",
            (
                Route(
                    "drawn rows",
                    "k rows drawn independently from the noisy share",
                    (Term("value", "coverage", _drawn),),
                    hypotheses=SETTING,
                    inputs=("proportion", "n", "k", "noise_sd"),
                ),
                Route(
                    "rounded rows",
                    "k rows whose share is the noisy share, rounded",
                    (Term("value", "coverage", _rounded),),
                    hypotheses=(*SETTING, Hypothesis("k is so large that rounding to whole rows does not matter")),
                    inputs=("proportion", "n", "k", "noise_sd"),
                ),
            ),
            changes=(
                "Rounded rows keep the level exactly if k is at most the effective number of records. Drawn rows keep "
                "it only in the limit in which k is a vanishing share of that number: both k/n and k times the "
                "variance of the noise vanish.",
            ),
            proof="bojkovic2024.proportion",
        ),
    ),
    see_also=("bojkovic2024.proportion",),
)
