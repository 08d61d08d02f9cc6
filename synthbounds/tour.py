"""What `make require` shows: the paper's own setting, a meaningful one, how to ask for more, and a first table."""

from __future__ import annotations

import sys
from typing import Any

from bounds.sizes.require import require
from bounds.sizes.requirement import Requirement
from synthbounds.cli.outcome import text_width, wants_colour, write
from synthbounds.cli.run import guarded
from synthbounds.render.document import Block, Bullets, Code, Table, Title
from synthbounds.render.numbers import enclosure_text, integer_text
from synthbounds.render.text import TextRenderer

PAPER = {"degree": 2, "epsilon": "0.2", "delta": "0.5", "gamma": "0.25"}
COMMAND = ".venv/bin/synthbounds"
TRY = (
    "require --p 10 --degree 2 --epsilon 0.2 --accuracy 0.4 --failure 0.05",
    "require --p 6 --t 4 --degree 2 --family cells --epsilon 1 --accuracy 0.1 --failure 0.05",
    "require --solve-for epsilon --n 5000 --p 10 --degree 2 --accuracy 0.4 --failure 0.05",
    "compare --p 10 --degree 2 --epsilon 0.2 --accuracy 0.4 --failure 0.05",
    "risk --features 10 --radius 1 --intercept 0 --epsilon 1 --dp-delta 1e-6 --failure 0.01 --target 0.1",
    "explain bojkovic2024.histogram",
    "--help",
)
TABLE = (
    "schema docs/examples/survey.csv --output draft.json",
    "synth docs/examples/survey.csv --schema draft.json --epsilon 1 --dp-delta 1e-8 --mode simulate --synthetic s.csv",
)
"""How a first table is made, as a trial."""
MEANINGFUL = {"degree": 2, "epsilon": "0.2", "delta": "0.05", "gamma": "0.0125"}


def tour() -> tuple[Block, ...]:
    return (
        Title(
            "bojkovic2024's own experiment",
            "Boolean records, all marginals of two attributes, epsilon = 0.2, delta = 0.5, gamma = 0.25, as printed.",
        ),
        _table(
            [("uniform reference points (Theorem B.1)", "uniform", "printed", p, PAPER) for p in (3, 5, 6, 10)]
            + [("perturbed histogram (Corollary III.1.1)", "histogram", "printed", p, PAPER) for p in (3, 5, 6, 10)]
        ),
        Bullets(
            "What these numbers promise: nothing",
            (
                "Accuracy 8 delta = 4, but two rows chosen without any data are accurate to 1/2.",
                "Failure probability 4 gamma = 1; the theorem itself requires gamma below 1/4.",
            ),
        ),
        Title(
            "A meaningful setting",
            "Same records and queries, every answer within 0.4 with probability 0.95 (delta = 0.05, gamma = 0.0125).",
        ),
        _table(
            [
                (f"{measure}, {edition} edition", measure, edition, 10, MEANINGFUL)
                for measure in ("uniform", "histogram")
                for edition in ("printed", "corrected", "sharp")
            ]
        ),
        Title("Ask for your own numbers"),
        Code(tuple(f"{COMMAND} {arguments}" for arguments in TRY), "sh"),
        Title(
            "Make a first synthetic table",
            "A trial, which protects nobody; put your own table in place of the example (docs/private-tables.md).",
        ),
        Code(tuple(f"{COMMAND} {arguments}" for arguments in TABLE), "sh"),
    )


def _table(questions: list[tuple[str, str, str, int, dict[str, Any]]]) -> Table:
    rows = []
    for label, measure, edition, p, parameters in questions:
        answer = require(measure=measure, edition=edition, p=p, **parameters)
        rows.append((label, str(p), *_sizes(answer)))
    columns = ("", "p", "records n", "reference points m", "synthetic k", "epsilon", "accuracy", "failure", "")
    return Table("", columns, tuple(rows), right=frozenset(range(1, 8)))


def _sizes(answer: Requirement) -> tuple[str, ...]:
    guarantee = answer.guarantee
    return (
        integer_text(answer.n),
        integer_text(answer.m),
        integer_text(answer.k),
        enclosure_text(guarantee.privacy.epsilon, 4),
        enclosure_text(guarantee.accuracy, 4),
        enclosure_text(guarantee.failure_probability, 4),
        "vacuous" if guarantee.vacuous else "",
    )


def main() -> int:
    def show() -> int:
        write(TextRenderer(colour=wants_colour(), width=text_width()).render(tour()))
        return 0

    return guarded(show)


if __name__ == "__main__":
    sys.exit(main())
