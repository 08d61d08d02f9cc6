"""What a privacy statement means for one person: how often an attacker can guess right, and how far a suspicion grows.

The attacker knows every other record and has two possibilities left, which depend on the adjacency: which of two
records a person has (replace-one), or whether the person is in the table at all (add-remove). With a delta the odds
have a tail: delta bounds an excess of probabilities, not how often the odds grow by more than e^epsilon, which can be a
hundred times likelier. The best guess is attained by some mechanism with the same statement, and by Gaussian noise
where that is known; for suspicions, only the bound without a delta is attained. Proof:
docs/proofs/synthbounds.meaning.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from bounds.enclosure import BallNumber, Enclosure, as_fmpq
from bounds.exact import Exact, parse_rational, require_range, show_rational
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.statements import DP, ZCDP, GaussianDP, one_adjacency
from bounds.solve import enclose

SUSPICIONS = (Fraction(1, 100), Fraction(1, 10))
"""The attacker's prior probabilities in the explanation in words."""
MOST_EPSILON = 1000
"""Beyond it nothing is left to say, in hundreds of digits."""
_EVEN = Fraction(1, 2)
WIDER = Fraction(11, 10)
"""By this much more than e^epsilon odds may grow if there is a delta."""
_TAIL = 1 / (1 - 1 / WIDER)
"""Times delta: how likely they grow by even more, at most."""


@dataclass(frozen=True, kw_only=True)
class Suspicion:
    """How likely the attacker thought it before, and at most how likely afterwards, but for the exception."""

    before: Fraction
    after_at_most: Enclosure


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """What (epsilon, dp_delta) means for one person; `best_guess` is for an attacker who begins with even odds.

    Whichever table is true, odds grow by more than `odds_factor` with probability at most `exception`.
    """

    epsilon: Fraction
    dp_delta: Fraction
    adjacency: Adjacency
    odds_factor: Enclosure
    exception: Fraction
    best_guess: Enclosure
    wrong_at_least: Enclosure
    suspicions: tuple[Suspicion, ...]

    @property
    def replaced_delta(self) -> Enclosure:
        """Under add-remove, the delta that goes with 2 epsilon for replacing a record: out, and in."""
        epsilon, delta = as_fmpq(self.epsilon), as_fmpq(self.dp_delta)
        return enclose(lambda: delta * (1 + arb(epsilon).exp())) if self.dp_delta else Enclosure.of(0)


def meaning(privacy: DP, also: GaussianDP | ZCDP | None = None) -> Meaning:
    """What the statement means, at the upper ends of its numbers.

    `also` is another statement about the same release: the odds of a guess are then the smaller of the two.

    >>> found = meaning(DP(epsilon=1, delta="1e-6", adjacency="replace-one"))
    >>> found.odds_factor.decimal(6)[1], found.best_guess.decimal(6)[1], found.wrong_at_least.decimal(6)[0]
    ('2.99012', '0.731059', '0.268941')
    >>> [s.after_at_most.decimal(4)[1] for s in found.suspicions], found.exception
    (['0.02932', '0.2494'], Fraction(11, 1000000))
    """
    require_range("epsilon", privacy.epsilon.hi, show_rational(privacy.epsilon.hi), most=MOST_EPSILON)
    wrong = wrong_guess(privacy)
    if also is not None:
        one_adjacency(privacy, also)
        wrong = max(wrong, _wrong_of_noise(also), key=lambda found: found.lo)
    return Meaning(
        epsilon=privacy.epsilon.hi,
        dp_delta=privacy.delta.hi,
        adjacency=privacy.adjacency,
        odds_factor=enclose(lambda: as_fmpq(_wider(privacy)) * arb(as_fmpq(privacy.epsilon.hi)).exp()),
        exception=min(_TAIL * privacy.delta.hi, Fraction(1)),
        best_guess=Enclosure(1 - wrong.hi, 1 - wrong.lo),
        wrong_at_least=wrong,
        suspicions=tuple(
            Suspicion(before=before, after_at_most=grown_suspicion(privacy, before)) for before in SUSPICIONS
        ),
    )


def wrong_guess(privacy: DP, prior: Exact = _EVEN) -> Enclosure:
    """How often the best guess is wrong, at least: (1 - delta) min(prior, 1 - prior, 1/(1 + e^epsilon)).

    >>> wrong_guess(DP(epsilon=1, delta=0, adjacency="replace-one"), "0.1").decimal(4)
    ('0.1', '0.1')
    """
    before = _probability(prior)
    epsilon, kept = as_fmpq(privacy.epsilon.hi), as_fmpq(1 - privacy.delta.hi)
    by_noise = enclose(lambda: kept / (1 + arb(epsilon).exp()))
    by_prior = Enclosure.of((1 - privacy.delta.hi) * min(before, 1 - before))
    return Enclosure(min(by_noise.lo, by_prior.lo), min(by_noise.hi, by_prior.hi))


def grown_suspicion(privacy: DP, prior: Exact) -> Enclosure:
    """How likely it can look afterwards, at most: odds grow by e^epsilon, or 11/10 of it but for 11 delta."""
    before = _probability(prior)
    if not privacy.epsilon.hi and not privacy.delta.hi:
        return Enclosure.of(before)
    epsilon, yes, no = as_fmpq(privacy.epsilon.hi), as_fmpq(before), as_fmpq((1 - before) / _wider(privacy))

    def after() -> BallNumber:
        return yes / (yes + no * (-arb(epsilon)).exp())

    found = enclose(after)
    return Enclosure(max(found.lo, before), min(found.hi, Fraction(1)))


def _wider(privacy: DP) -> Fraction:
    return WIDER if privacy.delta.hi else Fraction(1)


def _wrong_of_noise(statement: GaussianDP | ZCDP) -> Enclosure:
    """Of even odds: Phi(-mu/2) of Gaussian privacy; of zCDP by Pinsker, or by Bretagnolle and Huber."""
    if isinstance(statement, GaussianDP):
        mu_squared = as_fmpq(statement.mu_squared)
        return enclose(lambda: (arb(mu_squared) / 8).sqrt().erfc() / 2)
    rho = as_fmpq(statement.rho.hi)
    pinsker = enclose(lambda: (1 - (arb(rho) / 2).sqrt()) / 2)
    huber = enclose(lambda: arb(-rho).exp() / (2 * (1 + (1 - arb(-rho).exp()).sqrt())))
    return max(pinsker, huber, key=lambda found: found.lo)


def _probability(prior: Exact) -> Fraction:
    before = parse_rational(prior, "prior")
    require_range("prior", before, prior, above=0, below=1, reason="a probability that leaves both possibilities")
    return before
