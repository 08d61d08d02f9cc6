"""The literature the theorems come from, once: keys, references, BibTeX."""

from __future__ import annotations

from dataclasses import dataclass

from bounds.errors import UsageError


@dataclass(frozen=True)
class Paper:
    """A source; `bibtex` lists the fields without the key."""

    key: str
    reference: str
    kind: str
    fields: tuple[tuple[str, str], ...]

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
