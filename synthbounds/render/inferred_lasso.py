"""The lasso of a table as blocks of a document and as JSON."""

from __future__ import annotations

from typing import Any

from bounds.exact import show_rational
from mechanisms.infer.regression.penalised import LassoAnswer
from synthbounds.render.document import Answer, Block, Facts, Table, Title, Vacuous
from synthbounds.render.inferred import SPENT
from synthbounds.render.inferred_regression import PROOF, SCALE, ends_text, estimate_text

_ANY = "the level is for all formulas and penalties together, even if chosen afterwards"
_FIXED = "the level holds for a formula and a penalty chosen without looking at this release"


def lasso_blocks(answer: LassoAnswer) -> tuple[Block, ...]:
    """Which coefficients the lasso of the table certainly has, and which it certainly leaves out."""
    size, level = show_rational(answer.penalty), show_rational(answer.level)
    zeros, count = sum(answer.zero), len(answer.names)
    chosen = ", ".join(answer.chosen) or "none for certain"
    sentence = (
        f"With probability at least {level} for all of this together, the lasso of the table with penalty {size} "
        f"certainly leaves out {zeros} of {count} coefficients, and chooses {chosen}."
    )
    blocks: list[Block] = [
        Title(f"Lasso: {answer.formula}", sentence),
        Answer((("zero", f"{zeros} of {count}", "are 0 in the table, certified"),)),
    ]
    if not answer.is_bounded:
        blocks.append(Vacuous("nothing can be said: the noise on the second moments is too large; name fewer columns"))
    rows = tuple(
        (name, estimate_text(found), *ends_text(found), found.note)
        for name, found in zip(answer.names, answer.coefficients, strict=True)
    )
    facts = (
        ("About", f"the lasso of the records of the table themselves; the response is {answer.response}"),
        ("Level", f"all hold together with probability at least {level}; ends are certified"),
        ("Chosen", _ANY if answer.any_formula else _FIXED),
        (
            "Penalty",
            f"half the mean squared error plus {size} times the sum of absolute coefficients, the intercept free",
        ),
        ("Scale", SCALE),
        ("Spent", SPENT),
        ("Proof", PROOF),
        *(("Note", note) for note in answer.notes),
    )
    columns = ("coefficient", "of noisy moments", "from", "to", "")
    table = Table(
        "Coefficients of the table",
        columns,
        rows,
        right=frozenset({1, 2, 3}),
        marked=frozenset(place for place, is_zero in enumerate(answer.zero) if is_zero),
        legend="certainly 0",
    )
    return (*blocks, table, Facts(facts))


def lasso_details(answer: LassoAnswer) -> dict[str, Any]:
    return {
        "formula": answer.formula,
        "response": answer.response,
        "penalty": show_rational(answer.penalty),
        "any_formula": answer.any_formula,
        "bounded": answer.is_bounded,
        "zero": [name for name, is_zero in zip(answer.names, answer.zero, strict=True) if is_zero],
        "chosen": list(answer.chosen),
        "notes": list(answer.notes),
        "proof": PROOF,
    }
