"""Random questions, exact and within the hypotheses of the theorems."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st


def decimals(low: str, high: str, places: int) -> st.SearchStrategy[Fraction]:
    """Exact decimals with that many places, spread evenly over the range."""
    scale = 10**places
    return st.integers(int(Fraction(low) * scale), int(Fraction(high) * scale)).map(lambda v: Fraction(v, scale))


epsilons = st.one_of(decimals("0.01", "3", 3), decimals("0.0001", "0.01", 5), decimals("3", "50", 1))
deltas = st.one_of(decimals("0.01", "0.5", 3), decimals("0.0005", "0.01", 4))
gammas = st.one_of(decimals("0.001", "0.249", 3), decimals("0.000001", "0.001", 6))


@st.composite
def questions(draw: st.DrawFn, *, continuous: bool = False) -> dict[str, Any]:
    """Parameters of a release; the same for every edition."""
    question: dict[str, Any] = {"epsilon": draw(epsilons), "delta": draw(deltas), "gamma": draw(gammas)}
    p = draw(st.integers(1, 6 if continuous else 14))
    question["p"] = p
    if draw(st.integers(0, 4)) == 0:
        question["queries"] = draw(st.integers(1, 3000))
    else:
        question["degree"] = draw(st.integers(1, min(p, 3)))
        question["family"] = draw(st.sampled_from(("monomials", "parities", "cells")))
    if question.get("family") != "parities":
        question["t"] = draw(st.integers(2, 5))
    question["adjacency"] = draw(st.sampled_from(("replace-one", "add-remove")))
    if continuous:
        question["tau"] = draw(decimals("0.05", "1", 2))
        question["lipschitz"] = draw(st.one_of(decimals("0", "4", 2), decimals("4", "60", 1)))
    return question
