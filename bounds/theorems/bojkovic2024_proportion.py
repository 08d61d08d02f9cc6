"""Section V-A, a): a confidence interval for a proportion from private data.

Guarantee: the noisy or synthetic share is within the half-width of the proportion, with the stated probability.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem
from bounds.quantities import Quantities

SIZES = (
    Hypothesis("n, m and k are at least the sizes of bojkovic2024.private-lp at delta = sqrt(log(F/gamma)/k)"),
    Hypothesis("the queries have the values 0 and 1"),
)
NOISE = (
    Hypothesis("the share is released with Gaussian noise of standard deviation noise_sd"),
    Hypothesis("n is large, and noise_sd is small where the proportion is estimated; exact only in the limit"),
)


def _accuracy(q: Quantities, A: Arithmetic) -> Number:
    return A.sqrt(A.log(q.F / q.gamma) / q.k)


def _variance(q: Quantities, A: Arithmetic) -> Number:
    """Of the noisy share of n independent records."""
    return q.proportion * (1 - q.proportion) / q.n + q.noise_sd**2


def _from_noisy_share(q: Quantities, A: Arithmetic) -> Number:
    return A.normal_max_quantile(A.ratio(1), q.gamma) * A.sqrt(_variance(q, A))


def _from_drawn_rows(q: Quantities, A: Arithmetic) -> Number:
    variance = _variance(q, A) + q.proportion * (1 - q.proportion) / q.k
    return A.normal_max_quantile(A.ratio(1), q.gamma) * A.sqrt(variance)


THEOREM = Theorem(
    id="bojkovic2024.proportion",
    title="Interval for a proportion from private data",
    guarantee="The share in the synthetic data, or its noisy value, plus or minus the value is a confidence interval "
    "for the proportion: asymptotically valid, or at the level that the edition states.",
    citation=Citation("bojkovic2024", "Section V-A, a)"),
    inputs=("gamma",),
    direction="value",
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    "half-width 8 delta at the least k that Theorem II.1 allows",
                    (Term("value", "half-width", lambda q, A: 8 * _accuracy(q, A)),),
                    hypotheses=SIZES,
                    inputs=("F", "k"),
                ),
            ),
            changes=(
                "The paper writes O(1/sqrt(k)) and gives no constant: 8 is that of the accuracy 8 delta, with delta as "
                "small as k allows.",
                "It calls the interval asymptotically valid. The sampling error of the records is within the order "
                "1/sqrt(k), since Theorem II.1 asks for n >= k at the least k; no level is stated.",
            ),
        ),
        Edition(
            "corrected",
            (
                Route(
                    "proportion behind the records",
                    "half-width 6 delta, for all queries at once",
                    (Term("value", "half-width", lambda q, A: 6 * _accuracy(q, A)),),
                    hypotheses=(*SIZES, Hypothesis("gamma is at most 1/4", lambda q: bool(4 * q.gamma <= 1))),
                    inputs=("F", "k"),
                ),
            ),
            changes=(
                "The level is 1 - 4 gamma, for every n and not only in the limit, for all queries at once, and the "
                "sampling error of the records is included: the slack in the proof of Theorem II.1 pays for it.",
            ),
            proof="bojkovic2024.proportion",
        ),
        Edition(
            "sharp",
            (
                Route(
                    "noisy share",
                    "normal half-width at the effective number of records; also for rounded rows if 1/k is far less",
                    (Term("value", "half-width", _from_noisy_share),),
                    hypotheses=NOISE,
                    inputs=("proportion", "n", "noise_sd"),
                ),
                Route(
                    "drawn rows",
                    "the same for k synthetic rows drawn from the noisy share",
                    (Term("value", "half-width", _from_drawn_rows),),
                    hypotheses=(*NOISE, Hypothesis("the rows are drawn independently; k is large and noise_sd small")),
                    inputs=("proportion", "n", "noise_sd", "k"),
                ),
            ),
            changes=(
                "The distribution of the noise instead of a bound on it, and Gaussian noise: level 1 - gamma in the "
                "limit of large n. The noise acts as if there were fewer records.",
            ),
            proof="bojkovic2024.proportion",
        ),
    ),
    see_also=("bojkovic2024.private-lp", "bojkovic2024.naive-interval"),
)
