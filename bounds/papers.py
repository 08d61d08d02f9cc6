"""The literature the theorems come from, in one place: keys, references, BibTeX.

A field is present only if a source states it: the paper itself, its publisher, or the references of another paper.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from bounds.errors import UsageError
from bounds.shown import Shown

_LINE = 78


@dataclass(frozen=True)
class Paper(Shown):
    """A source; `bibtex` lists the fields without the key."""

    key: str
    reference: str
    kind: str
    fields: tuple[tuple[str, str], ...]
    version: str = ""
    """Which text was read for the ledger of claims."""
    text_digest: str = ""
    """SHA-256 of that text, as extracted."""
    read_as_submission: bool = False
    """That text was no publication."""

    @property
    def title(self) -> str:
        return dict(self.fields)["title"]

    def bibtex(self) -> tuple[str, ...]:
        """Lines of at most 78 characters; BibTeX takes a line break for a blank."""
        body = [line for name, value in self.fields for line in _field(name, value)]
        return (f"@{self.kind}{{{self.key},", *body, "}")


def _field(name: str, value: str) -> list[str]:
    start = f"  {name} = {{"
    return textwrap.wrap(
        f"{value}}},",
        _LINE,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _arxiv(number: str) -> tuple[tuple[str, str], ...]:
    return (("eprint", number), ("archiveprefix", "arXiv"))


PAPERS: dict[str, Paper] = {
    "synthbounds": Paper(
        "synthbounds",
        "The synthbounds authors, synthbounds: certified bounds for differentially private synthetic data, 2026",
        "misc",
        (
            ("author", "{The synthbounds authors}"),
            ("title", "synthbounds: certified bounds for differentially private synthetic data"),
            ("year", "2026"),
        ),
        version="the proof pages of this version",
    ),
    "bojkovic2024": Paper(
        "bojkovic2024",
        "N. Bojkovic and P.-L. Loh, Differentially Private Synthetic Data with Private Density Estimation, 2024",
        "inproceedings",
        (
            ("author", "Bojkovic, Nikolija and Loh, Po-Ling"),
            ("title", "Differentially Private Synthetic Data with Private Density Estimation"),
            ("booktitle", "IEEE International Symposium on Information Theory (ISIT)"),
            ("year", "2024"),
            *_arxiv("2405.04554"),
            ("url", "https://arxiv.org/abs/2405.04554"),
        ),
        version="the text of arXiv 2405.04554, extracted by machine; the version of record was not compared",
        text_digest="4edacc0fee74ebef1e32783f74b6115a07b98c73feca16143f5238f76a894748",
    ),
    "zhou2024": Paper(
        "zhou2024",
        "Y. Zhou, M. Liang, I. Brugere, D. Dervovic, A. Polychroniadou, M. Wu and D. Dachman-Soled, Bounding the "
        "Excess Risk for Linear Models Trained on Marginal-Preserving, Differentially-Private, Synthetic Data, "
        "ICML 2024",
        "inproceedings",
        (
            (
                "author",
                "Zhou, Yvonne and Liang, Mingyu and Brugere, Ivan and Dervovic, Danial and "
                "Polychroniadou, Antigoni and Wu, Min and Dachman-Soled, Dana",
            ),
            (
                "title",
                "Bounding the Excess Risk for Linear Models Trained on Marginal-Preserving, "
                "Differentially-Private, Synthetic Data",
            ),
            ("booktitle", "Proceedings of the 41st International Conference on Machine Learning"),
            ("series", "Proceedings of Machine Learning Research"),
            ("volume", "235"),
            ("pages", "61979--62001"),
            ("publisher", "PMLR"),
            ("year", "2024"),
            *_arxiv("2402.04375"),
            ("url", "https://proceedings.mlr.press/v235/zhou24k.html"),
        ),
        version="the text of the ICML 2024 proceedings, extracted by machine",
        text_digest="7716805d2de22dab3743367149447777446b97a6be1ff814b34270e4f819d324",
    ),
    "ddssp2024": Paper(
        "ddssp2024",
        "C. Ferrando and D. Sheldon, Private Regression via Data-Dependent Sufficient Statistic Perturbation, "
        "TMLR 2025; read here as the anonymous submission of 2024",
        "article",
        (
            ("author", "Ferrando, Cecilia and Sheldon, Daniel"),
            ("title", "Private Regression via Data-Dependent Sufficient Statistic Perturbation"),
            ("journal", "Transactions on Machine Learning Research"),
            ("month", "8"),
            ("year", "2025"),
            *_arxiv("2405.15002"),
            ("url", "https://openreview.net/forum?id=gtCfDKm9ME"),
        ),
        version="an anonymous submission under review, extracted by machine; the published version was not compared",
        text_digest="85e376b64422cbbf7f64854991ed2d88b23399cc3c233e0a4ac85d652f951911",
        read_as_submission=True,
    ),
    "vietri2022": Paper(
        "vietri2022",
        "G. Vietri, C. Archambeau, S. Aydore, W. Brown, M. Kearns, A. Roth, A. Siva, S. Tang and Z. S. Wu, Private "
        "Synthetic Data for Multitask Learning and Marginal Queries, NeurIPS 2022",
        "inproceedings",
        (
            (
                "author",
                "Vietri, Giuseppe and Archambeau, Cedric and Aydore, Sergul and Brown, William and Kearns, Michael and "
                "Roth, Aaron and Siva, Ankit and Tang, Shuai and Wu, Zhiwei Steven",
            ),
            ("title", "Private Synthetic Data for Multitask Learning and Marginal Queries"),
            ("booktitle", "Advances in Neural Information Processing Systems"),
            ("volume", "35"),
            ("pages", "18282--18295"),
            ("year", "2022"),
            *_arxiv("2209.07400"),
            ("url", "https://openreview.net/forum?id=5JdyRvTrK0q"),
        ),
        version="the text of the NeurIPS 2022 paper without appendix, extracted by machine",
        text_digest="3ee7e9aca2d4960c14431ef8016fa815d60e5fc8e9636698297f0a2aace62898",
    ),
    "wang2023": Paper(
        "wang2023",
        "H. Wang, S. Sudalairaj, J. Henning, K. Greenewald and A. Srivastava, Post-processing Private Synthetic Data "
        "for Improving Utility on Selected Measures, NeurIPS 2023",
        "inproceedings",
        (
            (
                "author",
                "Wang, Hao and Sudalairaj, Shivchander and Henning, John and Greenewald, Kristjan and "
                "Srivastava, Akash",
            ),
            ("title", "Post-processing Private Synthetic Data for Improving Utility on Selected Measures"),
            ("booktitle", "Advances in Neural Information Processing Systems"),
            ("volume", "36"),
            ("pages", "64139--64154"),
            ("year", "2023"),
            *_arxiv("2305.15538"),
            ("url", "https://arxiv.org/abs/2305.15538"),
        ),
        version="the text of the NeurIPS 2023 paper, extracted by machine",
        text_digest="5e1642c6676d4659f5538e8d922d6311657ccb7090dd4b87aa15a8e47c564872",
    ),
    "sikkema1961": Paper(
        "sikkema1961",
        "P. C. Sikkema, Der Wert einiger Konstanten in der Theorie der Approximation mit Bernstein-Polynomen, "
        "Numerische Mathematik 3, 107-116, 1961",
        "article",
        (
            ("author", "Sikkema, P. C."),
            (
                "title",
                "Der Wert einiger {Konstanten} in der {Theorie} der {Approximation} mit {Bernstein-Polynomen}",
            ),
            ("journal", "Numerische Mathematik"),
            ("volume", "3"),
            ("pages", "107--116"),
            ("year", "1961"),
        ),
    ),
    "dagan2020": Paper(
        "dagan2020",
        "Y. Dagan and V. Feldman, Interaction is necessary for distributed learning with privacy or communication "
        "constraints, STOC 2020",
        "inproceedings",
        (
            ("author", "Dagan, Yuval and Feldman, Vitaly"),
            (
                "title",
                "Interaction is necessary for distributed learning with privacy or communication constraints",
            ),
            ("booktitle", "Proceedings of the 52nd Annual ACM SIGACT Symposium on Theory of Computing"),
            ("pages", "450--462"),
            ("publisher", "Association for Computing Machinery"),
            ("year", "2020"),
            ("doi", "10.1145/3357713.3384315"),
            *_arxiv("1911.04014"),
        ),
    ),
    "boedihardjo2022": Paper(
        "boedihardjo2022",
        "M. Boedihardjo, T. Strohmer and R. Vershynin, Privacy of synthetic data: a statistical framework, "
        "IEEE Transactions on Information Theory 69(1), 520-527, 2022",
        "article",
        (
            ("author", "Boedihardjo, March and Strohmer, Thomas and Vershynin, Roman"),
            ("title", "Privacy of synthetic data: A statistical framework"),
            ("journal", "IEEE Transactions on Information Theory"),
            ("volume", "69"),
            ("number", "1"),
            ("pages", "520--527"),
            ("year", "2022"),
            *_arxiv("2109.01748"),
        ),
    ),
}
RESTS_ON = {"bojkovic2024": ("boedihardjo2022",), "zhou2024": ("sikkema1961", "dagan2020")}
"""Papers whose results another paper states and uses."""


def find_paper(key: str) -> Paper:
    if key not in PAPERS:
        raise UsageError(f"paper {key[:60]!r} is not known: one of {', '.join(PAPERS)}")
    return PAPERS[key]


def sources_of(key: str) -> tuple[Paper, ...]:
    """The paper and those it rests on."""
    return tuple(find_paper(k) for k in (key, *RESTS_ON.get(key, ())))
