"""Experimental settings of vietri2022, Section 5: counts, query generation, hyperparameters, measures.

The ACS tables and the appendix with their sizes are not in the text that is checked, so figures are not judged.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb

from flint import arb

from bounds.enclosure import Enclosure, decimal_text
from bounds.solve import enclose
from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if

CATEGORICAL, NUMERICAL, TARGETS = 25, 9, 5
"""Columns of a multitask data set as Section 5 counts them."""
QUERIES = 200_000
BINS, BINS_IN_FIGURE = (10, 20, 30, 50, 100), (10, 20, 50, 100)
EPOCHS_IN_FIGURE = (10, 30, 50, 70)
EPOCHS, PER_EPOCH, BINS_CHOSEN = 50, 10, 30
BOOKKEEPING = "Bookkeeping of the text: a count of what is listed."


def _data_sets() -> Evidence:
    states = ("California", "New York", "Texas", "Florida", "Pennsylvania")
    tasks = ("income", "employment", "health", "transportation", "housing")
    pairs = set(product(states, tasks))
    return confirmed_if(len(pairs) == 25, f"{len(states)} states times {len(tasks)} tasks are {len(pairs)} data sets")


def _categorical_marginals() -> Evidence:
    triples = list(product(range(CATEGORICAL), range(CATEGORICAL), range(TARGETS)))
    repeated = [t for t in triples if t[0] == t[1]]
    tables = {(min(a, b), max(a, b), c) for a, b, c in triples if a != b}
    text = (
        f"C x C x L has {len(triples)} triples for 25 features and 5 targets: {len(repeated)} name "
        "one column twice, the "
        f"others name each of {len(tables)} 3-way tables twice"
    )
    right = len(tables) == comb(CATEGORICAL, 2) * TARGETS and len(triples) == len(repeated) + 2 * len(tables)
    return confirmed_if(right, text, with_conditions=True)


def _mixed_marginals() -> Evidence:
    order = 2 + 1  # |R| = 2 and |C| = 1 in Definition 3
    families = comb(NUMERICAL, 2) * TARGETS
    text = (
        f"|R| + |C| = {order}; there are {families} pairs of numerical columns and target, "
        f"{QUERIES // families} queries each"
    )
    return confirmed_if(order == 3 and families < QUERIES, text)


def separation(columns: int) -> Enclosure:
    """Chance that a random query of Q_lin tells the rows 0 and (1, ..., 1) apart: the angle over pi."""
    return enclose(lambda: (1 / (1 + arb(NUMERICAL) / columns).sqrt()).acos() / arb.pi())


def _linear_thresholds() -> Evidence:
    """<theta, x> has variance |x|^2/d, and (theta, -tau) is a Gaussian vector: two rows differ by their angle."""
    own, all_columns = separation(NUMERICAL), separation(CATEGORICAL + NUMERICAL + TARGETS)
    quarter = own.contains(Fraction(1, 4)) and own.hi - own.lo < Fraction(1, 10**12)
    text = (
        "the variance of <theta, x> is |x|^2/d; for 9 features in [0, 1] the rows 0 and (1, ..., 1) "
        "are told apart by a "
        f"quarter of the queries if d = 9, by {decimal_text(all_columns.lo, 5, up=False)}... of them if d = 39"
    )
    return confirmed_if(quarter and all_columns.hi < Fraction(1, 6), text, with_conditions=True)


def _labels() -> Evidence:
    pairs = list(product(range(TARGETS), (0, 1)))
    each, rest = divmod(QUERIES, len(pairs))
    text = (
        f"five binary targets have {len(pairs)} pairs of label and value: {each} of {QUERIES} queries for "
        "each on average"
    )
    return confirmed_if(rest == 0 and each == 20_000, text)


def _bins() -> Evidence:
    missing = sorted(set(BINS) - set(BINS_IN_FIGURE))
    text = f"compared: {BINS}; Figure 3 shows {BINS_IN_FIGURE} and lacks {missing[0]}, the number that is used"
    return confirmed_if(missing == [BINS_CHOSEN] and BINS_CHOSEN in BINS, text, with_conditions=True)


def _epochs() -> Evidence:
    fits = EPOCHS in EPOCHS_IN_FIGURE and EPOCHS * PER_EPOCH <= QUERIES and PER_EPOCH <= QUERIES
    share = Fraction(EPOCHS * PER_EPOCH, QUERIES)
    text = (
        f"T_LT = {EPOCHS} is in {EPOCHS_IN_FIGURE}; T K = {EPOCHS * PER_EPOCH} queries are answered, "
        f"{share} of {QUERIES}"
    )
    return confirmed_if(fits, text)


def _categorical_epochs() -> Evidence:
    columns = CATEGORICAL + NUMERICAL + TARGETS
    ours, theirs = CATEGORICAL - 1, columns - 1
    text = (
        f"the rule 'columns minus 1' gives T_CM = {ours} for {CATEGORICAL} categorical columns "
        f"({ours + TARGETS} with the "
        f"targets) and {theirs} epochs for PGM and RAP on {columns} binned columns; with T_LT RAP++ has {ours + EPOCHS}"
    )
    return confirmed_if(ours == 24 and theirs == 38, text, with_conditions=True)


def _binned_cells() -> Evidence:
    cells = {bins: bins**2 * 2 for bins in BINS}
    all_tables = comb(NUMERICAL, 2) * TARGETS * cells[100]
    quadratic = cells[100] == 100 * cells[10]
    text = (
        f"a table of two numerical columns and a binary target has {cells[10]} cells with 10 bins, "
        f"{cells[30]} with 30 and "
        f"{cells[100]} with 100; all {comb(NUMERICAL, 2) * TARGETS} of them have {all_tables} with 100"
    )
    return confirmed_if(quadratic, text)


def _binning_error() -> Evidence:
    """Points i/1000 in [0, 1], equal bins: a threshold in the middle of a bin splits it, and the bin cannot tell."""
    worst = {}
    for bins in (10, 100):
        inside = [i for i in range(1000) if i * bins // 1000 == 0]
        worst[bins] = Fraction(len(inside), 1000)
    text = (
        f"uniform points: a bin holds {worst[10]} of them with 10 bins and {worst[100]} with 100, the "
        "most a threshold can be off"
    )
    return confirmed_if(worst[10] == Fraction(1, 10) and worst[100] == Fraction(1, 100), text)


def _f1_score() -> Evidence:
    import sympy as sp

    hits, false_hits, misses = sp.symbols("TP FP FN", positive=True)
    precision, recall = hits / (hits + false_hits), hits / (hits + misses)
    harmonic = 2 / (1 / precision + 1 / recall)
    same = sp.simplify(harmonic - 2 * hits / (2 * hits + false_hits + misses)) == 0
    return confirmed_if(same, "2/(1/precision + 1/recall) = 2 TP/(2 TP + FP + FN)")


def _macro() -> Evidence:
    """Nine of ten labels are 1 and all predictions are 1: one class has F1 = 18/19, the other 0."""
    positive, negative = Fraction(2 * 9, 2 * 9 + 1), Fraction(0)
    macro = (positive + negative) / 2
    text = (
        f"predicting 1 always with 9 of 10 labels 1: F1 is {positive} for one class and 0 for the other, "
        f"macro F1 {macro}"
    )
    return confirmed_if(macro < Fraction(1, 2) < positive, text)


C, W = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS


def _claim(
    name: str,
    locator: str,
    statement: str,
    verdict: Verdict,
    method: Method,
    check: Callable[[], Evidence],
    corrected: str = "",
) -> Claim:
    return Claim(f"vietri2022.{name}", "vietri2022", locator, statement, verdict, method, check, corrected)


CLAIMS = (
    _claim(
        "S5.data-sets",
        "Section 5, datasets",
        "Five states and five tasks constitute 25 data sets.",
        C,
        Method.READING,
        _data_sets,
        BOOKKEEPING,
    ),
    _claim(
        "S5.cm",
        "Section 5.1, CM",
        "The class C x C x L consists of 3-way marginals over two feature columns and a target.",
        W,
        Method.EXACT,
        _categorical_marginals,
        "For pairs of different columns, each pair taken once: 1500 tables instead of 3125 triples.",
    ),
    _claim(
        "S5.mm",
        "Section 5.1, MM, with Definition 3",
        "Two numerical columns and a target make 3-way mixed marginals, of which 200,000 are drawn.",
        C,
        Method.EXACT,
        _mixed_marginals,
    ),
    _claim(
        "S5.lt",
        "Section 5.1, LT, steps 1 and 2",
        "The queries take theta ~ N(0, I)/sqrt(d) and tau ~ N(0, 1), so that <theta, x> has variance |x|^2/d.",
        W,
        Method.BALL,
        _linear_thresholds,
        "The scales of <theta, x> and tau agree for features of about unit variance. If features are "
        "scaled to [0, 1] few "
        "queries cut the data; the text says neither how they are scaled nor whether d counts all columns.",
    ),
    _claim(
        "S5.lt-labels",
        "Section 5.1, LT, step 3",
        "The 200,000 linear threshold queries sample a target and one of its values.",
        C,
        Method.READING,
        _labels,
        BOOKKEEPING,
    ),
    _claim(
        "S5.bins",
        "Section 5.1, experimental setup, with Figure 3",
        "The results use 30 bins, chosen among the numbers of bins that are compared.",
        W,
        Method.EXACT,
        _bins,
        "30 is among those of the setup but not among those of Figure 3; the appendix may show it.",
    ),
    _claim(
        "S5.epochs",
        "Section 5.1, experimental setup, with Figure 3 and Algorithm 2, line 1",
        "T_LT = 50 and K = 10 are among the values compared and satisfy T <= m/K for m = 200,000.",
        C,
        Method.EXACT,
        _epochs,
    ),
    _claim(
        "S5.tcm",
        "Section 5.1, experimental setup",
        "T_CM, the categorical columns minus 1, is consistent with PGM and RAP.",
        W,
        Method.EXACT,
        _categorical_epochs,
        "The rule is the same, the numbers are not, since PGM and RAP also see the binned numerical columns.",
    ),
    _claim(
        "S0.binning-cost",
        "Abstract",
        "A higher granularity of bins makes marginal-based methods scale worse.",
        C,
        Method.EXACT,
        _binned_cells,
    ),
    _claim(
        "S0.binning-accuracy",
        "Abstract",
        "A higher granularity of bins is required for a better accuracy.",
        C,
        Method.EXACT,
        _binning_error,
    ),
    _claim(
        "S5.f1",
        "Section 5.2, ML evaluation",
        "The F1 score is the harmonic mean of precision and recall.",
        C,
        Method.SYMBOLIC,
        _f1_score,
    ),
    _claim(
        "S5.macro-f1",
        "Section 5.2, ML evaluation",
        "Macro F1, the mean of the F1 scores of the classes, suits unbalanced labels without a positive class.",
        C,
        Method.EXACT,
        _macro,
    ),
)
