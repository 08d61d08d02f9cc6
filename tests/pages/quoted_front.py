"""Numbers of the README and of the guide: from runs of the commands they speak of, from the ledger, from records."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

import numpy as np

import synthbounds as sb
from lp.synthesis.question import GAP
from release.data.domain import Domain
from release.data.schema import read_schema
from release.statistics.families import build_family
from synthbounds.cli.parser import EXIT_CODES
from synthbounds.render.text import WIDEST, WIDTH
from tests.pages.quoted import NAME, ROOT, SETTING, Page, exponential, recorded, text_of, thousands
from verify.claims.zhou2024_figure1 import PRINTED
from verify.counts import counted, headline, of_papers, papers_of
from verify.ledger import all_claims


def _readme() -> Iterator[str]:
    queries = build_family("monomials", Domain((2,) * 10), 2).count + 1  # with the constant query
    yield f"How many records do {queries} queries on ten attributes need"
    claims = sum(claim.paper != "synthbounds" for claim in all_claims())
    papers = len(papers_of(of_papers(all_claims())))
    yield f"More than {claims // 100 * 100} claims of {counted(papers, 'paper')} with verdicts"
    yield f"our ledger has {headline(all_claims())}"
    needed = sb.require(p=10, degree=2, epsilon="0.2", accuracy="0.05", failure="0.05").n
    yield f"within 0.05 it takes {thousands(needed)} records"
    needs = tomllib.loads(text_of("pyproject.toml"))["project"]["requires-python"]
    yield f"You need Python {needs.removeprefix('>=')} or later"


def _guide() -> Iterator[str]:
    printed = sb.require(
        measure="uniform", edition="printed", p=10, degree=2, epsilon="0.2", accuracy="0.4", failure="0.05"
    )
    n, m, k = (thousands(size) for size in (printed.n, printed.m, printed.k))
    yield f"up to {WIDEST} columns, and {WIDTH} in a pipe or a file"
    yield f"asks for {n} records, {m} reference points and {k} synthetic records"
    x = np.linspace(-5, 5, 100_001)
    error = np.abs(sum(float(a) * x**k for k, a in PRINTED.items()) - np.logaddexp(0, -x)).max()
    yield f'The "minimax" polynomial that Zhou et al. (2024) print for this question has error {error:.3f}.'
    speed = recorded("approximation")
    assert 0.001 < speed["softplus20_cpu_s"] < 0.01
    assert speed["ratio_to_sollya"] < 0.1
    yield "A certified polynomial of degree 20 takes milliseconds, less than a tenth of what Sollya needs"
    schema = read_schema(str(ROOT / "docs/examples/survey.schema.json"))
    yield f"Each of the {build_family('cells', schema.domain, 2).count} cells of all tables of up to two columns"
    yield f"to a certified gap of {exponential(float(GAP), 1)} at most"
    yield _corrected_route()
    adult = recorded("certify")["adult_tau5_degree2"]
    yield f"theorems gives {adult['uniform_mean']:.2f}, and this certificate {adult['mean']:.4f}"
    yield f"truth is about {adult['actual_mean']:.4f}"
    yield f"certificate then is about {recorded('confirm')['adult, tau 5, share 1/6']['median']:.4f}"
    yield f"{EXIT_CODES[0].upper()}{EXIT_CODES[1:]}."


def _corrected_route() -> str:
    asked = {"features": 10, "radius": 1, "epsilon": 1, "dp_delta": "1e-6", "failure": "0.01"}
    found = {}
    for target in ("0.1", "0.5"):
        rows = sb.compare_risk(**asked, target=target)
        (found[target],) = (r for r in rows if (r.theorem, r.edition) == ("zhou2024.logistic-private", "corrected"))
    assert found["0.1"].answer is None
    n = found["0.5"].answer.n
    return f"has no finite answer at any order here; at a target of 0.5 it asks for about {exponential(n, 0)} records"


README = Page(
    _readme,
    {
        SETTING: ("each within 0.4, at epsilon 0.2", "You have 5,000 records"),
        NAME: ("Estimation* (2024)", "Synthetic Data* (2024)"),
    },
)
GUIDE = Page(
    _guide,
    {
        SETTING: ("make the difference at most 0.1?", "tau = 1/sqrt 10"),
        NAME: ("The route of Zhou et al. (2024)",),
    },
)
