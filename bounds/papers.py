"""The literature the theorems come from, once: keys, references, BibTeX."""

from __future__ import annotations

from dataclasses import dataclass

from bounds.errors import UsageError
from bounds.shown import Shown


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

    def bibtex(self) -> tuple[str, ...]:
        body = [f"  {name} = {{{value}}}," for name, value in self.fields]
        return (f"@{self.kind}{{{self.key},", *body, "}")


PAPERS: dict[str, Paper] = {
    "synthbounds": Paper(
        "synthbounds",
        "The synthbounds authors, synthbounds: certified bounds for differentially private synthetic data, 2026",
        "software",
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
        "article",
        (
            ("author", "Bojkovic, Nikolija and Loh, Po-Ling"),
            ("title", "Differentially Private Synthetic Data with Private Density Estimation"),
            ("year", "2024"),
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
            ("booktitle", "International Conference on Machine Learning"),
            ("year", "2024"),
        ),
        version="the text of the ICML 2024 proceedings, extracted by machine",
        text_digest="7716805d2de22dab3743367149447777446b97a6be1ff814b34270e4f819d324",
    ),
    "ddssp2024": Paper(
        "ddssp2024",
        "Anonymous authors, Private Regression via Data-Dependent Sufficient Statistic Perturbation, under "
        "double-blind review, 2024",
        "unpublished",
        (
            ("author", "{Anonymous}"),
            ("title", "Private Regression via Data-Dependent Sufficient Statistic Perturbation"),
            ("note", "Under double-blind review"),
            ("year", "2024"),
        ),
        version="an anonymous submission under review, extracted by machine; the published version was not compared",
        text_digest="85e376b64422cbbf7f64854991ed2d88b23399cc3c233e0a4ac85d652f951911",
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
            ("year", "2022"),
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
            ("year", "2023"),
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
            ("booktitle", "ACM Symposium on Theory of Computing"),
            ("year", "2020"),
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
    """The paper and what it rests on."""
    return tuple(find_paper(k) for k in (key, *RESTS_ON.get(key, ())))
