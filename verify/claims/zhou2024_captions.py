"""The captions and settings of the experiments of zhou2024: the error that is reported, and Figure 5."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if, inconsistent_if, not_run, refuted_if
from verify.real_tables import MISSING, columns, domain, is_here


def distance(a: Sequence[tuple[int, ...]], b: Sequence[tuple[int, ...]], chosen: tuple[int, ...]) -> Fraction:
    """Normalised L1 distance of the marginals on the chosen attributes."""
    first, second = ([tuple(r[j] for j in chosen) for r in rows] for rows in (a, b))
    return sum((Fraction(abs(first.count(c) - second.count(c)), len(a)) for c in set(first + second)), Fraction(0))


def _average() -> Evidence:
    """Two binary attributes that agree in the real data and differ in the synthetic ones."""
    equal, opposite = [(0, 0), (1, 1)], [(0, 1), (1, 0)]
    chosen = (distance(equal, opposite, (0,)) + distance(equal, opposite, (1,))) / 2
    both = distance(equal, opposite, (0, 1))
    text = (
        f"real 00, 11 and synthetic 01, 10: the average error of the two selected marginals is {chosen}, of the pair "
        f"{both}"
    )
    return refuted_if(chosen < both, text)


def _average_of_all() -> Evidence:
    """Selecting everything does not help: an average is below the largest error unless all are equal."""
    one, other = [(0, 0, 0), (1, 1, 0)], [(0, 0, 0), (1, 1, 1)]
    errors = [distance(one, other, (j,)) for j in range(3)]
    mean = sum(errors, Fraction(0)) / 3
    return refuted_if(
        mean < max(errors), f"three selected marginals with errors {', '.join(map(str, errors))}: the average is {mean}"
    )


def _figure_5() -> Evidence:
    targets = ("occupation", "prev_residence_place", "sex")
    if not (is_here("dutch") and is_here("churn")):
        return not_run(MISSING)
    dutch, churn = set(columns("dutch")), set(columns("churn"))
    return inconsistent_if(
        set(targets) <= dutch and not set(targets) & churn,
        "the targets occupation, prev_residence_place and sex are columns of Dutch; Churn has none of them",
    )


def _figure_5_names() -> Evidence:
    said, listed = {"Adult", "Churn", "Law"}, {"Dutch", "Adult", "Law"}
    return inconsistent_if(
        said != listed,
        f"without targets: {', '.join(said - listed)}; not named: {', '.join(listed - said)}",
    )


def _classifiers() -> Evidence:
    words = {"Section 5.4": 2, "Appendix D.3, target labels": 2, "Appendix D.3, models": 3, "Figure 5": 3}
    return inconsistent_if(len(set(words.values())) > 1, "; ".join(f"{place}: {n}" for place, n in words.items()))


def _classifiers_listed() -> Evidence:
    """Each data set of Figure 5 comes with a list of targets, and the legend numbers them."""
    listed = {"Dutch": 3, "Adult": 3, "Law": 3}
    return inconsistent_if(
        set(listed.values()) == {3},
        "Figure 5 lists three targets for each data set, real_1 to real_3; the text says two",
    )


def _six_levels() -> Evidence:
    if not all(is_here(name) for name in ("adult", "dutch", "law")):
        return not_run(MISSING)
    chosen = {
        "adult": ("income>50K", "sex", "relationship"),
        "dutch": ("occupation", "prev_residence_place", "sex"),
        "law": ("pass_bar", "race", "fulltime"),
    }
    more = [(name, key, domain(name)[key]) for name, keys in chosen.items() for key in keys if domain(name)[key] != 2]
    text = f"eight of the nine targets have two levels; {more[0][1]} of Adult has {more[0][2]}"
    return confirmed_if(more == [("adult", "relationship", 6)], text, with_conditions=True)


_P = "zhou2024"

CLAIMS = (
    Claim("zhou2024.55.average-error", _P, "Section 5.5", "The average error over the selected marginals is an upper "
    "bound "
          "for the largest error over all marginals of order d.", Verdict.REFUTED, Method.EXACT, _average,
          "An average is no upper bound for what it averages, and says nothing about marginals that are not selected. "
          "Theorem C.3 bounds the errors of the others one by one, with further terms; if these are meant, they are no "
          "averages and have to be reported themselves.", ("zhou2024.aim-confidence",),
          again=_average_of_all),
    Claim("zhou2024.fig5.data-sets", _P, "Figure 5", "The caption names the data sets whose targets it lists.",
          Verdict.INCONSISTENT, Method.READING, _figure_5_names,
          "It names Adult, Churn and Law, and lists targets of Dutch, Adult and Law. A slip.", again=_figure_5),
    Claim("zhou2024.D3.classifiers", _P, "Section 5.4, Appendix D.3, Figure 5", "The number of classifiers of the "
    "second "
          "additional experiment is the same in all places.", Verdict.INCONSISTENT, Method.READING, _classifiers,
          "Three classifiers with three targets for each data set, by Figure 5. A slip.", again=_classifiers_listed),
    Claim("zhou2024.fig5.binary-targets", _P, "Figure 5, Section 2.2", "The targets are binary, as in Section 2.2.",
          Verdict.CONFIRMED_WITH_CONDITIONS, Method.EXACT, _six_levels,
          "Eight of nine are; relationship of Adult has six levels, and how it was made binary is not said."),
)  # fmt: skip
