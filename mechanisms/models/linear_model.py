"""Private moments, and a linear model trained on synthetic records made from them, as a mechanism."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.errors import DataError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import GaussianDP
from mechanisms.mechanism import Public
from mechanisms.models.parameters import TRAINED_LABELS
from release.data.source import Source
from release.moments.file import MomentRelease
from release.moments.make import MomentRequest
from release.moments.planned import MomentPlan
from release.noise.kinds import Mode
from release.statistics.features import build_feature_map
from release.statistics.moments import moment_sums

if TYPE_CHECKING:
    from mechanisms.models.train.from_release import ReleaseTraining


@dataclass(frozen=True, kw_only=True)
class LinearModel:
    """Moments of the features at that privacy in total, and the model of norm at most tau trained from them."""

    label: str
    epsilon: Fraction
    dp_delta: Fraction
    mode: Mode
    one_hot: Iterable[str] | None = None
    reserve: Fraction = Fraction(0)
    tau: Fraction = Fraction(5)
    seed: int | None = None

    def plan(self, public: Public) -> MomentPlan:
        return self._request(public).plan(public.size)

    def run(self, source: Source, public: Public, ledger: Ledger) -> tuple[MomentRelease, Ledger]:
        request = self._request(public)
        # Budget kept for a query counts as spent with the release, whose own ledger pays for the query later.
        cost = GaussianDP(mu_squared=request.ledger.total, adjacency=public.adjacency)
        paid = ledger.spend(cost, "moments")  # refused here, before a record is read
        sums = moment_sums(source, request.feature_map)
        if public.adjacency is Adjacency.REPLACE_ONE and sums.n != public.size:
            raise DataError(f"the table does not have {public.size} rows, the number given as public")
        return request.release_sums(sums), paid

    def make(self, release: MomentRelease) -> ReleaseTraining:
        from mechanisms.models.train.from_release import train_from_release

        return train_from_release(release, tau=self.tau)

    def _request(self, public: Public) -> MomentRequest:
        features = build_feature_map(public.schema, label=self.label, one_hot=self.one_hot)
        features.require_two_values(TRAINED_LABELS)
        hidden = public.adjacency is Adjacency.ADD_REMOVE
        return MomentRequest(
            features,
            epsilon=self.epsilon,
            dp_delta=self.dp_delta,
            adjacency=public.adjacency,
            mode=self.mode,
            n0=public.size if hidden else None,
            reserve=self.reserve,
            seed=self.seed,
        )
