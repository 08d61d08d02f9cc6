"""How much better any other model can be on the real table, from the release that a regression was made from."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.errors import SynthboundsError
from bounds.shown import Shown
from mechanisms.models.certify.from_log import certify_from_log
from mechanisms.models.certify.from_marginals import certify_from_marginals
from mechanisms.models.certify.from_moments import Answer, certify_model, class_for
from mechanisms.regression.regression import Regression
from release.log.file import MarginalLog
from release.marginals.file import Marginals


@dataclass(frozen=True)
class Excess(Shown):
    """What is certified about a model, or why nothing is."""

    answer: Answer | None
    reason: str = ""

    @property
    def upper(self) -> Fraction | None:
        return None if self.answer is None else self.answer.bound


def certified_excess(found: Regression, beta: Fraction) -> Excess:
    """The certificate of the model among those of its norm, or the reason why the release cannot give one.

    The model has already been paid for: whatever goes wrong in a proof, it is kept, and the reason is reported.
    """
    release, model = found.release, found.model
    if release is None:
        return Excess(None, "the model is all that was released: there is nothing to compare it with")
    try:
        compared = class_for(model)
        if isinstance(release, MarginalLog):
            return Excess(certify_from_log(release, model, compared, beta=beta))
        if isinstance(release, Marginals):
            return Excess(certify_from_marginals(release, model, compared, beta=beta))
        return Excess(certify_model(release, model, compared, beta=beta, held_out=False))
    except KeyboardInterrupt:
        return Excess(None, "interrupted")
    except SynthboundsError as error:
        return Excess(None, str(error))
    except Exception as error:  # whatever it is: the model is kept
        return Excess(None, f"a bug of ours: {type(error).__name__}")
