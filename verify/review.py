"""What an independent reading of the ledger found in its entries against a paper: the figures that pages may quote.

The verdicts are not graded evenly yet: one slip can stand as several entries, and the same slip counts against one
paper and is a condition in another. Until they are graded again, pages count what that reading found, not verdicts. It
went through every refuted and inconsistent claim with the papers' texts and derived its argument again. The figures
are results of reading, so they stand here as given; a test compares how many entries were read with the ledger.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Findings:
    """Entries against a paper, sorted by what they are."""

    substance: int
    slips: int
    """Without effect on any result."""
    lost_in_print: int
    """A sign that print or extraction of the text has probably lost."""
    readings: int
    """Right or wrong with how the sentence is read."""
    repeats: int
    """Of another entry: not counted as findings."""
    unfounded: int
    """The paper does not say it, or what it says is true in a natural reading: not counted either."""

    @property
    def independent(self) -> int:
        return self.substance + self.slips + self.lost_in_print + self.readings

    @property
    def entries(self) -> int:
        return self.independent + self.repeats + self.unfounded


REVIEW = {
    "bojkovic2024": Findings(substance=10, slips=5, lost_in_print=2, readings=2, repeats=5, unfounded=0),
    "ddssp2024": Findings(substance=1, slips=6, lost_in_print=0, readings=0, repeats=1, unfounded=1),
    "vietri2022": Findings(substance=0, slips=2, lost_in_print=0, readings=0, repeats=0, unfounded=0),
    "wang2023": Findings(substance=0, slips=0, lost_in_print=0, readings=0, repeats=0, unfounded=0),
    "zhou2024": Findings(substance=13, slips=8, lost_in_print=0, readings=0, repeats=11, unfounded=2),
}
ALL = Findings(**{name: sum(getattr(f, name) for f in REVIEW.values()) for name in Findings.__dataclass_fields__})

HEAD = ("independent findings", "of substance", "slips", "probably lost in print", "depend on a reading")
NOTE = (
    f"An independent reading of all entries against a paper counts {ALL.independent} independent findings in five "
    f"papers: {ALL.substance} of substance, {ALL.slips} slips without effect on any result, {ALL.lost_in_print} "
    f"probable losses of print and {ALL.readings} that depend on how a sentence is read. Of the other entries "
    f"{ALL.repeats} repeat a finding, and {ALL.unfounded} object to what the paper does not say or to what is true in "
    "a natural reading. It also found the grading uneven: the same slip counts against one paper and is a condition in "
    "another. Until the ledger is graded again, verdicts are not counted here."
)


def cells(paper: str) -> tuple[str, ...]:
    """The row of a paper under `HEAD`; our own statements were not part of the reading."""
    if paper not in REVIEW:
        return ("-",) * len(HEAD)
    found = REVIEW[paper]
    counts = (found.independent, found.substance, found.slips, found.lost_in_print, found.readings)
    return tuple(str(count) for count in counts)
