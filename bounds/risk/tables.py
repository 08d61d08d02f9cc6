"""The marginals compared: all sets of one size of attributes, or sets of features and every feature with the label.

For a loss that is linear plus even, as the logistic loss, the second kind is enough, and a private release of it costs
less. Proof: docs/proofs/zhou2024.logistic-private.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

from bounds.enclosure import integer_text
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.marginals import MarginalWorkload
from bounds.privacy.sensitivity import Sensitivity, l2_sensitivity

PAIR = 2
"""Attributes of the tables that contain the label, if labels are paired."""


@dataclass(frozen=True)
class Tables:
    """Marginals of d of the m + 1 attributes, or, paired, of D features without the label and of pairs with it."""

    features: int
    order: int
    paired: bool = False

    @property
    def degree(self) -> int:
        """D, the degree of a polynomial that they carry."""
        return 2 * (self.order // 2)

    @property
    def together(self) -> int:
        """Features in one set, if labels are paired: there may be fewer than D."""
        return min(self.degree, self.features)

    @property
    def hold_everything(self) -> bool:
        """The marginal of all attributes is the whole table."""
        return not self.paired and self.order == self.features + 1

    @property
    def hold_all_features(self) -> bool:
        """One marginal contains all features, if not the label with them; pairs with the label are known, too."""
        return self.together == self.features if self.paired else self.order >= max(self.features, PAIR)

    def sensitivity(self, *, adjacency: Adjacency, exactly: bool) -> Sensitivity:
        """L2 sensitivity of their release; `exactly`: sets of d attributes, not up to d."""
        if not self.paired:
            workload = MarginalWorkload(attributes=self.features + 1, order=self.order, exactly=exactly)
            return workload.l2(adjacency=adjacency)
        public = adjacency is Adjacency.REPLACE_ONE
        sets = comb(self.features, self.together) + self.features
        which = f"of {self.together} of the {self.features} features, and of each feature with the label"
        text = f"the {integer_text(sets)} marginals ({which})"
        return l2_sensitivity(squared=2 * sets if public else sets, adjacency=adjacency, n_is_public=public, text=text)

    @property
    def text(self) -> str:
        if self.paired:
            return f"marginals of {self.together} of the {self.features} features, and of each feature with the label,"
        return f"marginals of {self.order} of the {self.features + 1} attributes (including the label)"
