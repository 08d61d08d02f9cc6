"""One audit of one subject by one layer."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.errors import NotApplicable, ParameterError
from bounds.exact import Exact, parse_integer, parse_rational, require_range
from bounds.privacy.adjacency import Adjacency
from bounds.shown import Shown
from verify.audit.blackbox import blackbox_audit
from verify.audit.exact import ExactLoss, Verdict
from verify.audit.mechanism import stream
from verify.audit.ratio import ratio_audit
from verify.audit.statistics import LEAST_SAMPLES, MOST_SAMPLES, SampledLoss
from verify.audit.subject import Subject
from verify.audit.subjects import find_subject

LAYERS = ("exact", "ratio", "blackbox")
SAMPLES = 20_000
MOST_NUMBERS = 40_000_000
"""Samples times answers that are held in memory, of each input."""


@dataclass(frozen=True, kw_only=True)
class AuditResult(Shown):
    """A verdict with what it rests on: `loss` by the exact layer, `sampled` by the others."""

    subject: Subject
    layer: str
    verdict: Verdict
    epsilon: Fraction
    delta: Fraction
    adjacency: Adjacency
    loss: ExactLoss | None
    sampled: SampledLoss | None
    seed: int | None

    @property
    def known(self) -> bool | None:
        """Whether a violation is known at this epsilon; None where the subject says nothing of it."""
        return self.subject.violates if self.epsilon == self.subject.epsilon else None


def audit(
    name: str, *, epsilon: Exact | None = None, layer: str = "exact", samples: Exact = SAMPLES, seed: Exact = 0
) -> AuditResult:
    """Audit a subject by name; samples and seed are for the sampling layers.

    >>> audit("histogram-half-scale").verdict.value
    'violation'
    """
    subject = find_subject(name)
    if layer not in LAYERS:
        raise ParameterError("layer", layer, "one of " + ", ".join(LAYERS))
    claimed = subject.epsilon if epsilon is None else parse_rational(epsilon, "epsilon")
    require_range("epsilon", claimed, epsilon, least=Fraction(1, 1000), most=100, reason="privacy that is claimed")
    runs, key = parse_integer(samples, "samples"), parse_integer(seed, "seed")
    require_range("samples", runs, samples, least=LEAST_SAMPLES, most=MOST_SAMPLES, reason="of each input")
    require_range("seed", key, seed, least=0, below=2**64)
    made = subject.make(claimed)
    loss = sampled = None
    if layer == "exact":
        if made.exact is None:
            raise NotApplicable("layer exact: the exact loss of this mechanism is not known here")
        loss = made.exact()
        verdict = loss.verdict(epsilon=made.epsilon, delta=made.delta)
    else:
        width = made.sample(0, 1, stream(key, 0, 0)).shape[1]
        require_range("samples", runs, samples, most=MOST_NUMBERS // width, reason=f"{width} answers each")
        sampled = (ratio_audit if layer == "ratio" else blackbox_audit)(made, samples=runs, seed=key)
        verdict = sampled.verdict(epsilon=made.epsilon)
    return AuditResult(
        subject=subject,
        layer=layer,
        verdict=verdict,
        epsilon=made.epsilon,
        delta=made.delta,
        adjacency=made.adjacency,
        loss=loss,
        sampled=sampled,
        seed=None if layer == "exact" else key,
    )
