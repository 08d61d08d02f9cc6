"""The first pages: the ledger in numbers, and answers that README and guide speak of."""

from __future__ import annotations

from typing import Any

import numpy as np

import synthbounds as sb
from docs_site.numbers.names import ROOT
from release.data.domain import Domain
from release.data.schema import read_schema
from release.statistics.families import build_family
from verify.claims.zhou2024_figure1 import PRINTED
from verify.counts import counted, headline, of_papers, papers_of
from verify.ledger import all_claims


def claims() -> list[Any]:
    """Whole hundreds of claims of papers, and how many papers these are, in words."""
    found = sum(claim.paper != "synthbounds" for claim in all_claims())
    return [found // 100 * 100, counted(len(papers_of(of_papers(all_claims()))), "paper")]


def findings() -> list[str]:
    """The headline of the ledger, with its words."""
    before, _, after = headline(all_claims()).partition(", and ")
    number, _, words = before.partition(" ")
    return [number, f"{words}, and", after]


def monomials() -> int:
    """Up to two of ten attributes, with the constant query."""
    return build_family("monomials", Domain((2,) * 10), 2).count + 1


def cells() -> int:
    """Of all tables of up to two columns of the survey."""
    schema = read_schema(str(ROOT / "docs/examples/survey.schema.json"))
    return build_family("cells", schema.domain, 2).count


def printed_sizes() -> list[int | None]:
    asked: dict[str, Any] = {"p": 10, "degree": 2, "epsilon": "0.2", "accuracy": "0.4", "failure": "0.05"}
    found = sb.require(measure="uniform", edition="printed", **asked)
    return [found.n, found.m, found.k]


def error_of_printed_polynomial() -> float:
    """Largest on [-5, 5]."""
    x = np.linspace(-5, 5, 100_001)
    return float(np.abs(sum(float(a) * x**k for k, a in PRINTED.items()) - np.logaddexp(0, -x)).max())


def corrected_route(target: str) -> int | None:
    """Records that the corrected route of Corollary 3.6 asks for, if any number will do."""
    asked: dict[str, Any] = {"features": 10, "radius": 1, "epsilon": 1, "dp_delta": "1e-6", "failure": "0.01"}
    rows = sb.compare_risk(**asked, target=target)
    (row,) = (r for r in rows if (r.theorem, r.edition) == ("zhou2024.logistic-private", "corrected"))
    return None if row.answer is None else row.answer.n
