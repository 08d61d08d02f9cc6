"""One audit of one subject by one layer, or of every subject."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

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
from verify.audit.subjects import SUBJECTS, find_subject
from verify.spread.workers import HERE, Workers

LAYERS = ("exact", "ratio", "blackbox")
SAMPLES = 20_000
MOST_NUMBERS = 40_000_000
"""Largest number of samples times answers held in memory, for each input."""


@dataclass(frozen=True, kw_only=True)
class AuditResult(Shown):
    """A verdict with its basis: `loss` from the exact layer, `sampled` from the others."""

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
    def agrees(self) -> bool:
        """Whether it agrees with what is known; a layer that finds nothing contradicts nothing."""
        return self.verdict is Verdict.SILENT or self.known in (None, self.verdict is Verdict.VIOLATION)

    @property
    def known(self) -> bool | None:
        """Whether a violation is known at this epsilon; None if the subject does not say."""
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


def audit_all(
    name: str = "",
    *,
    layer: str,
    samples: int,
    seed: int,
    workers: Workers = HERE,
    progress: Callable[[str], None] | None = None,
) -> tuple[AuditResult, ...]:
    """Every subject whose name begins with this and which the layer can audit, at its own epsilon."""
    chosen = [subject for subject in SUBJECTS if subject.name.startswith(name)]
    if not chosen:
        raise ParameterError("name", name, "the beginning of a subject's name", "`synthbounds audit` lists all")
    answers = workers.answers("verify.audit.run:found_of", [(s.name, layer, samples, seed) for s in chosen])
    results = []
    for subject in chosen:
        if progress is not None:
            progress(f"auditing {subject.name}, layer {layer}")
        found = next(answers)
        if found is not None:
            results.append(AuditResult(subject=subject, **found))
    return tuple(results)


def found_of(item: tuple[str, str, int, int]) -> dict[str, Any] | None:
    """For a worker: an audit without its subject, whose functions do not travel; None if the layer does not apply."""
    name, layer, samples, seed = item
    try:
        result = audit(name, layer=layer, samples=samples, seed=seed)
    except NotApplicable:
        return None
    return {part.name: getattr(result, part.name) for part in fields(result) if part.name != "subject"}
