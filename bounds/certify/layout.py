"""The place of every unknown of the programme behind a certificate in its vector."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Layout:
    """The place of every unknown in the vector of the programme."""

    size: int
    """Of b = (1, S, V[, U])."""
    forms: int
    balls: int
    has_scale: bool = False
    """Whether the loss is scaled by an unknown, as in `end_programme`."""

    @property
    def pairs(self) -> list[tuple[int, int]]:
        return [(i, j) for j in range(self.size) for i in range(j + 1)]

    @property
    def label(self) -> int:
        return 1

    def form(self, which: int) -> int:
        return 1 + self.size + which * len(self.pairs)

    @property
    def shape_size(self) -> int:
        """The coefficients of the polynomial come first."""
        return self.form(self.forms)

    def absolute(self, which: int) -> int:
        return self.form(self.forms + which)

    @property
    def label_form(self) -> int:
        return self.form(2 * self.forms)

    @property
    def label_scale(self) -> int:
        return self.form(2 * self.forms + 1)

    @property
    def ball(self) -> int:
        return self.label_scale + 1

    @property
    def peak(self) -> int:
        return self.ball + self.balls

    @property
    def scale(self) -> int:
        return self.peak + 1

    @property
    def count(self) -> int:
        return self.peak + 1 + self.has_scale
