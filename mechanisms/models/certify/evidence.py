"""The evidence for a model's certificate, taken from its release: sums, noise, features and the split of beta."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from bounds.certify.model_certificate import Evidence, model_certificate
from bounds.certify.radii import failure_split
from bounds.certify.routes import least
from mechanisms.models.certify.from_moments import ModelCertificate
from mechanisms.models.event import FOURTH_SHARE, radius_costs
from mechanisms.models.model import Model
from release.gradient.planned import model_digest
from release.moments.file import MomentRelease
from release.noise.kinds import NOT_A_RELEASE


def certificate_json(certificate: ModelCertificate) -> dict[str, Any]:
    """The file of a certificate, for an independent checker: its best route from the release alone.

    The Fenchel-Young theorem, whose direction may have any score, is left out, and so is the answer to a query; the
    file then says what the rest proves, with the part of beta that belongs to the release's moments.
    """
    routes = [r for r in certificate.routes if r.found is not None and r.found.problem.directions is None]
    found = least(tuple(routes)).found
    assert found is not None
    return model_certificate(found, certificate.compared_with, evidence(certificate))


def evidence(certificate: ModelCertificate) -> Evidence:
    """Everything in a certificate's file except its proof."""
    weighted = any(route.degree == 4 for route in certificate.routes)
    return evidence_of(
        certificate.release,
        certificate.model,
        loss=certificate.compared_with.loss,
        beta=certificate.moments_beta,
        weighted=weighted,
    )


def evidence_of(release: MomentRelease, model: Model, *, loss: str, beta: Fraction, weighted: bool) -> Evidence:
    """The same for a release and a model; `weighted` says that fourth moments have a part of beta."""
    features, deviations = release.feature_map, release.deviations
    return Evidence(
        adjacency=release.adjacency.value,
        size=release.size,
        bits=features.bits,
        label_bits=features.label_one.bit_length() - 1,
        blocks=tuple(block for block in features.blocks if block[0]),
        first=release.first_sums,
        second=release.second_sums,
        fourth=release.fourth_sums,
        noise=(
            deviations.first,
            deviations.second_diagonal,
            deviations.second_off_diagonal,
            *(deviations.fourth or ()),
        ),
        failures=failures(release, beta, weighted=weighted),
        beta=beta,
        release=release.digest,
        model=model_digest(features, model.coefficients, loss),
        feature_map=features.digest,
        note=NOT_A_RELEASE if release.is_simulated else "",
    )


def failures(release: MomentRelease, beta: Fraction, *, weighted: bool) -> tuple[Fraction, ...]:
    """How `known_moments` splits beta between first, second and, if they are used, weighted moments."""
    fourth = beta * FOURTH_SHARE if weighted else Fraction(0)
    left = beta - fourth
    first_cost, second_cost = radius_costs(release)
    share = failure_split(release.feature_map.size, left, first_weight=first_cost, second_weight=second_cost)
    return (left * share, left * (1 - share), *((fourth,) if weighted else ()))
