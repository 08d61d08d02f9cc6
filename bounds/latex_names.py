r"""Names of quantities as LaTeX between dollar signs, for formulas and sentences alike: `mu_D` becomes `\mu_D`."""

from __future__ import annotations

import re

from bounds.quantities import SYMBOLS

GREEK = "alpha beta gamma delta eta kappa lambda mu nu omega phi psi rho sigma tau theta".split()  # noqa: SIM905
_TIMES_GREEK = re.compile(rf"(\d*)({'|'.join(GREEK)})")
WORDS = {name: rf"\{name}" for name in GREEK} | {
    "epsilon": r"\varepsilon",
    "Omega": r"\Omega",
    "Delta": r"\Delta",
    "dp-delta": SYMBOLS["dp_delta"].latex,
    "l_inf": r"\ell_\infty",
    "L1": r"\ell_1",
    "L2": r"\ell_2",
}


def latex_name(name: str) -> str:
    r"""The symbol of a declared quantity; of another name its letter, or the word upright.

    >>> latex_name("order"), latex_name("nu_D"), latex_name("Q_laplace"), latex_name("cells_per_axis")
    ('d', '\\nu_{D}', 'Q_{\\mathrm{laplace}}', '\\mathrm{cells}_{\\text{per axis}}')
    """
    if name in SYMBOLS:
        return SYMBOLS[name].latex
    if name in WORDS:
        return WORDS[name]
    head, _, tail = name.partition("_")
    first = WORDS.get(head, _letters(head))
    return rf"{first}_{{{_letters(tail)}}}" if tail else first


def _letters(word: str) -> str:
    if greek := _TIMES_GREEK.fullmatch(word):
        return rf"{greek[1]}\{greek[2]}"
    if len(word) == 1:
        return word
    return rf"\text{{{word.replace('_', ' ')}}}" if "_" in word else rf"\mathrm{{{word}}}"
