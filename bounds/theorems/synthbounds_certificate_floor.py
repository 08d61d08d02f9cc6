"""How near the release of another table must be for the excess on that table to be below every certificate.

Guarantee: if the other table is at most this far away, then every valid certificate is at least the model's excess
there, in the stated share of all releases.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem
from bounds.quantities import Quantities

VALID = Hypothesis("the certificate is at least the excess with probability 1 - beta, whatever table of n records")
SHARES = Hypothesis(
    "share is at least 1/2 and less than 1 - beta",
    lambda q: bool(2 * q.share >= 1 and q.share + q.failure < 1),
    why="a certificate may be wrong with probability beta, so no floor is true more often",
)


def _shift(q: Quantities, A: Arithmetic) -> Number:
    one = A.ratio(1)
    return A.normal_max_quantile(one, 2 * q.failure) - A.normal_max_quantile(one, 2 * (1 - q.share))


def _records(q: Quantities, A: Arithmetic) -> Number:
    return _shift(q, A) * A.gaussian_factor(q.epsilon, q.dp_delta)


THEOREM = Theorem(
    id="synthbounds.certificate-floor",
    title="Floor under every certificate from a release",
    guarantee="If another table of n records is at most this far away, every certificate that is right with "
    "probability 1 - beta for all tables is at least the model's excess on that other table, in the stated share of "
    "all releases.",
    citation=Citation("synthbounds", "floors under certificates"),
    inputs=("failure", "share"),
    direction="value",
    editions=(
        Edition(
            "sharp",
            (
                Route(
                    "sums with Gaussian noise",
                    "distance of the sums, in standard deviations of their noise",
                    (Term("value", "standard deviations", _shift),),
                    hypotheses=(VALID, SHARES),
                ),
                Route(
                    "any mechanism",
                    "records that differ, if the answers are as private as Gaussian noise of exactly this privacy",
                    (Term("value", "records", _records),),
                    hypotheses=(VALID, SHARES, Hypothesis("the mechanism is mu-Gaussian private under replace-one")),
                    inputs=("epsilon", "dp_delta"),
                ),
            ),
            changes=(
                "By the lemma of Neyman and Pearson: for two Gaussian releases no larger distance would do. With the "
                "total variation distance t the share would be 1 - beta - t.",
            ),
            proof="synthbounds.certificate-floor",
        ),
    ),
    see_also=("synthbounds.model-certificate", "synthbounds.gradient-query", "synthbounds.moment-release"),
)
