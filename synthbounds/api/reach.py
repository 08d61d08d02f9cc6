"""How well models of several norms do, estimated on synthetic rows of the release."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mechanisms.models.certify.from_moments import Answer
    from mechanisms.models.train.from_cross_moments import CrossTraining
    from mechanisms.models.train.from_release import ReleaseTraining
    from mechanisms.models.train.over_tau import OverTau

__all__ = ["over_tau"]


def over_tau(found: ReleaseTraining | CrossTraining | Answer) -> OverTau | None:
    """Loss and accuracy of the best model of each of several norms, for a trained or certified model; nothing is spent.

    None if there are no rows to train on (marginals, a distance, too many features, a label that is a number),
    or for a loss without a trainer.
    """
    from bounds.errors import NotApplicable
    from mechanisms.models.certify.from_cross_moments import CrossCertificate
    from mechanisms.models.certify.from_moments import ModelCertificate
    from mechanisms.models.train.from_cross_moments import CrossTraining
    from mechanisms.models.train.from_release import ReleaseTraining
    from mechanisms.models.train.over_tau import SyntheticRecords
    from mechanisms.models.train.over_tau import over_tau as answer

    try:
        if isinstance(found, ReleaseTraining | CrossTraining):
            return answer(found.records, found.model, loss=found.model.loss, tau=found.model.tau)
        if not isinstance(found, ModelCertificate | CrossCertificate) or found.model.feature_map.label_is_number:
            return None
        records = SyntheticRecords.of(found.release if isinstance(found, ModelCertificate) else found.moments)
        compared = found.compared_with
        return answer(records, found.model, loss=compared.loss, intercept=compared.intercept, tau=compared.tau)
    except NotApplicable:
        return None
