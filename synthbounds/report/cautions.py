"""What must not be concluded, one sentence each; a sheet takes those that fit its facts."""

from __future__ import annotations

ROWS_ARE_NOBODY = (
    "No row of the synthetic table is a person. A row that looks like someone proves nothing about them, and a person "
    "who seems to be missing may well be in the real table."
)
SMALL_GROUPS = (
    "Small groups are mostly noise. Compare an error with the size of the group: a share known to within 1 % says "
    "nothing about a group of one in a thousand."
)
ONLY_WHAT_WAS_MEASURED = (
    "Nothing is promised about connections between columns that were not measured together. They may be missing from "
    "the synthetic table although the real one has them, or the other way round."
)
NO_MORE_THAN_CERTIFIED = (
    "Nothing is certified beyond the sentences on this page. Other statistics of the table may be good or bad; nobody "
    "has checked."
)
NOT_THE_POPULATION = (
    "The statement is about the people in this table, not about others: how well the table represents anybody else is "
    "another question."
)
NOT_CAUSES = "A model that predicts well says nothing about causes, and nothing about whether its use is fair."
NOT_A_LEGAL_OPINION = (
    "Differential privacy limits what can be learned about one person. Whether that is enough for a law or a contract "
    "is not decided here; this page is not legal advice."
)
OTHER_RELEASES = (
    "The promise to one person covers only this release. Every other release about the same people adds to what can "
    "be learned; a budget account (`--account`) keeps track of the total."
)
ONLY_A_PLAN = "A plan has seen no data. It says what a release would cost and promise, not what the table contains."
SIMULATED = (
    "The noise of a simulation protects nobody. This page may reveal what the table contains: treat it like the "
    "table itself."
)
VACUOUS = (
    "The certificate says no more than what holds without any data. Do not quote it as evidence that the model is "
    "good; it is no evidence that the model is bad, either."
)
CONFIDENCE = (
    "Confidence is about the noise: the statement fails with the small remaining probability, and nobody can see "
    "whether it did."
)


def may_fail(beta: str) -> str:
    return (
        f"Each certified statement may fail, with probability at most {beta}, because noise is random. Nobody can see "
        "whether it did."
    )


def weak(reason: str) -> str:
    return f"The certificate is weak: {reason}. Quote it with this reservation, or not at all."
