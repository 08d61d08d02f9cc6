"""Orders of marginals in ddssp2024: their sensitivity, size and noise (Section 2.3, Appendices A and F.3)."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb, prod

from bounds.privacy.adjacency import Adjacency
from bounds.privacy.marginals import MarginalWorkload
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if

SIZES = (2, 3, 2, 4)


def moved_cells(chosen: tuple[int, ...]) -> set[int]:
    """Squared L2 change of the marginal on `chosen` by adding a record, over all records of a small domain."""
    changes = set()
    cells = list(product(*(range(SIZES[j]) for j in chosen)))
    for record in product(*(range(size) for size in SIZES)):
        changes.add(sum(int(all(record[j] == c for j, c in zip(chosen, cell, strict=True))) for cell in cells))
    return changes


def _sensitivity_one() -> Evidence:
    subsets = [chosen for k in range(1, 5) for chosen in combinations(range(4), k)]
    found = {len(chosen): moved_cells(chosen) for chosen in subsets}
    text = (
        f"squared change of a marginal by one added record, by its order: {found}; in general a record has one value "
        "of the chosen attributes, so one cell changes, by one"
    )
    return confirmed_if(all(moved_cells(chosen) == {1} for chosen in subsets), text)


def moved_together(order: int) -> set[int]:
    """Squared L2 change of all marginals of that order together by adding a record, by enumeration."""
    chosen = list(combinations(range(len(SIZES)), order))
    return {sum(next(iter(moved_cells(c))) for c in chosen)} if all(len(moved_cells(c)) == 1 for c in chosen) else set()


def _higher_orders() -> Evidence:
    """One marginal, all marginals of one order, and their cells."""
    single = [moved_cells(tuple(range(k))) for k in range(1, 5)]
    together = [moved_together(k) for k in range(1, 5)] == [{comb(4, k)} for k in range(1, 5)]
    whole = [
        MarginalWorkload(attributes=15, order=k, exactly=True).l2(adjacency=Adjacency.ADD_REMOVE).squared
        for k in range(1, 9)
    ]
    grows = all(x < y for x, y in pairwise(whole[:7])) and whole[7] <= whole[6]
    cells = [prod(SIZES[:k]) for k in range(1, 5)]
    text = (
        f"squared sensitivity of one marginal of order 1 to 4: {single}, of {cells} cells; of all marginals of order 1 "
        f"to 8 of 15 attributes together: {[str(s) for s in whole]}; in general C(d, k), one for each marginal"
    )
    right = single == [{1}] * 4 and together and grows and all(x < y for x, y in pairwise(cells))
    return confirmed_if(right and whole == [comb(15, k) for k in range(1, 9)], text, with_conditions=True)


def _signal() -> Evidence:
    """n/m_r records in a cell on average, against the same sigma for every marginal."""
    averages = [Fraction(50_000, 10**k) for k in range(1, 5)]
    falls = all(a > b for a, b in pairwise(averages))
    text = (
        f"50,000 records, 10 values each: {[str(a) for a in averages]} in a cell for order 1 to 4, with noise of one "
        "size; in general a further attribute of m values divides the mean count n/m_r by m"
    )
    return confirmed_if(falls, text, with_conditions=True)


def _domain_growth() -> Evidence:
    doubled = all(
        prod(sizes) >= 2 ** len(sizes) and all(prod(sizes) * m >= 2 * prod(sizes) for m in range(2, 6))
        for k in range(1, 5) for sizes in product(range(2, 6), repeat=k)
    )  # fmt: skip
    constant = prod((1,) * 5) == 1
    tables = [comb(15, k) for k in (2, 4)]
    text = (
        "a further attribute of m >= 2 values multiplies the cells by m, so k attributes have at least 2^k cells; "
        f"{tables[0]} pairs and {tables[1]} quadruples of 15 attributes"
    )
    return confirmed_if(doubled and constant and tables == [105, 1365], text, with_conditions=True)


CLAIMS = (
    Claim(
        "ddssp2024.2-3.sensitivity", "ddssp2024", "Section 2.3, after Definition 2.9",
        "The L2 sensitivity of a marginal is 1, whatever its attributes.",
        Verdict.CONFIRMED, Method.EXACT, _sensitivity_one,
        hypotheses=("neighbours by adding or deleting a record, as in Definition 2.1",),
        quote="the $L_2$ sensitivity of a marginal query $M_r$ is 1, regardless of the attributes in $r$",
        scope=Scope.REASONED,
    ),
    Claim(
        "ddssp2024.F3.sensitivity", "ddssp2024", "Appendix F.3, last paragraph",
        "Marginals of higher order suffer from a lower signal-to-noise ratio, due to higher sensitivity and a larger "
        "output space.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.EXACT, _higher_orders,
        "True if read as all marginals of order k together: their sensitivity is sqrt(C(d, k)), which grows up to k = "
        "d/2. A single marginal has sensitivity 1 at every order, as Section 2.3 says, and only its output space "
        "grows.",
        hypotheses=("every attribute has at least two values",),
        quote="higher-order marginals tend to suffer from lower signal-to-noise ratios, as the added noise (due to "
        "higher sensitivity and larger output space)",
        severity=Severity.READING, scope=Scope.REASONED, depends_on=("ddssp2024.2-3.sensitivity",),
    ),
    Claim(
        "ddssp2024.A.signal", "ddssp2024", "Appendix A; Appendix F.3",
        "Marginals of fewer attributes have a better signal-to-noise ratio.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.EXACT, _signal,
        "True if the signal is the mean count of a cell and every marginal has the same sigma. This reading is ours: "
        "the paper does not define signal and noise.",
        quote="lower-dimensional marginals exhibit a better signal-to-noise ratio than marginals with many attributes "
        "and low counts",
        severity=Severity.READING, scope=Scope.REASONED,
    ),
    Claim(
        "ddssp2024.F3.domain", "ddssp2024", "Appendix F.3, last paragraph",
        "The number of cells of a marginal grows exponentially with its order.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.EXACT, _domain_growth,
        "True for attributes with at least two values, which can be taken for granted.",
        quote="the domain size of a marginal grows exponentially with its order", scope=Scope.REASONED,
    ),
)  # fmt: skip
