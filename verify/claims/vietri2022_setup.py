"""Experimental settings of vietri2022, Section 5: counts, hyperparameters, measures; and binning, from the abstract.

The ACS tables and the appendix with their sizes are not in the text that was checked, so figures are not judged.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb

from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, Withdrawn, confirmed_if

CATEGORICAL, NUMERICAL, TARGETS = 25, 9, 5
"""Columns of a multitask data set, counted as in Section 5."""
QUERIES = 200_000
BINS, BINS_IN_FIGURE = (10, 20, 30, 50, 100), (10, 20, 50, 100)
EPOCHS_IN_FIGURE = (10, 30, 50, 70)
EPOCHS, PER_EPOCH, BINS_CHOSEN = 50, 10, 30


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
        f"C x C x L has {len(triples)} triples for {CATEGORICAL} features and {TARGETS} targets: {len(repeated)} name "
        f"one column twice, the others name each of {len(tables)} 3-way tables twice"
    )
    right = len(tables) == comb(CATEGORICAL, 2) * TARGETS and len(triples) == len(repeated) + 2 * len(tables)
    return confirmed_if(right, text, with_conditions=True)


def _mixed_marginals() -> Evidence:
    order = 2 + 1  # |R| = 2 and |C| = 1 in Definition 3
    families = comb(NUMERICAL, 2) * TARGETS
    text = (
        f"two numerical columns and a target are |R| + |C| = {order}; there are {families} choices of them, each with "
        "infinitely many thresholds"
    )
    return confirmed_if(order == 3 and families < QUERIES, text)


def _bins() -> Evidence:
    missing = sorted(set(BINS) - set(BINS_IN_FIGURE))
    text = f"compared: {BINS}, and {BINS_CHOSEN} is one of them; Figure 3 shows {BINS_IN_FIGURE}, without {missing[0]}"
    return confirmed_if(missing == [BINS_CHOSEN] and BINS_CHOSEN in BINS, text)


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
        f"({ours + TARGETS} with the targets) and {theirs} epochs for PGM and RAP on {columns} binned columns; with "
        f"T_LT RAP++ has {ours + EPOCHS}"
    )
    return confirmed_if(ours == 24 and theirs == 38, text, with_conditions=True)


def _binned_cells() -> Evidence:
    cells = {bins: bins**2 * 2 for bins in BINS}
    all_tables = comb(NUMERICAL, 2) * TARGETS * cells[100]
    grows = all(cells[a] * b**2 == cells[b] * a**2 for a, b in product(BINS, repeat=2))
    text = (
        "a marginal of r binned columns has the r-th power of the number of bins as a factor of its cells, and a "
        f"method that answers it stores a number for each: two columns and a binary target have {cells[10]} cells with "
        f"10 bins, {cells[30]} with 30, {cells[100]} with 100; all {comb(NUMERICAL, 2) * TARGETS} such tables have "
        f"{all_tables} with 100"
    )
    return confirmed_if(grows, text)


def _binning_error() -> Evidence:
    """Ten records in each of B bins; those of bin 0 all at 1/4 of it or all at 3/4, around a threshold at 1/2."""
    each, apart = 10, {}
    for bins in BINS:
        rest = [Fraction(2 * b + 1, 2) for b in range(1, bins) for _ in range(each)]
        tables = [[Fraction(place, 4)] * each + rest for place in (1, 3)]
        counts = [[sum(int(x) == b for x in table) for b in range(bins)] for table in tables]
        answers = [Fraction(sum(x <= Fraction(1, 2) for x in table), len(table)) for table in tables]
        apart[bins] = abs(answers[0] - answers[1]) if counts[0] == counts[1] else Fraction(0)
    right = all(gap == Fraction(1, bins) for bins, gap in apart.items())
    text = (
        "if each of B bins holds 1/B of the records, two tables with the same counts of bins, one with all records of "
        "a bin below a threshold and one with all above, differ by 1/B in the query; any answer computed from the "
        "counts is off by at least 1/(2B) for one of them, and counting half of the bin is never off by more: "
        f"{apart[10] / 2} with 10 bins, {apart[30] / 2} with 30, {apart[100] / 2} with 100. With noise on every cell "
        f"more bins need not be better: Section 5.1 chooses {BINS_CHOSEN} of up to {max(BINS)}"
    )
    return confirmed_if(right and max(BINS) > BINS_CHOSEN, text, with_conditions=True)


def _f1_score() -> Evidence:
    import sympy as sp

    hits, false_hits, misses = sp.symbols("TP FP FN", positive=True)
    precision, recall = hits / (hits + false_hits), hits / (hits + misses)
    harmonic = 2 / (1 / precision + 1 / recall)
    same = sp.simplify(harmonic - 2 * hits / (2 * hits + false_hits + misses)) == 0
    return confirmed_if(same, "2/(1/precision + 1/recall) = 2 TP/(2 TP + FP + FN)")


def _macro() -> Evidence:
    """Exchanging the positive label exchanges TP with TN and FP with FN."""
    import sympy as sp

    tp, fp, fn, tn = sp.symbols("TP FP FN TN", positive=True)
    one = 2 * tp / (2 * tp + fp + fn)
    swap = {tp: tn, tn: tp, fp: fn, fn: fp}
    other = one.subs(swap, simultaneous=True)
    macro = (one + other) / 2
    same = sp.simplify(macro.subs(swap, simultaneous=True) - macro) == 0
    differs = sp.simplify(one - other) != 0
    always = one.subs({tp: 9, fp: 1, fn: 0})  # the other class has no hits, so its F1 is 0
    text = (
        "F1 changes when the labels are exchanged, the mean of the F1 scores of both labels does not; always "
        f"predicting 1 where 9 of 10 labels are 1 has F1 {always} for one class, 0 for the other, macro F1 {always / 2}"
    )
    return confirmed_if(same and differs, text)


C, W = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS


def _claim(
    name: str,
    locator: str,
    statement: str,
    verdict: Verdict,
    method: Method,
    check: Callable[[], Evidence],
    quote: str,
    corrected: str = "",
    scope: Scope = Scope.IDENTITY,
    severity: Severity = Severity.NONE,
) -> Claim:
    return Claim(
        f"vietri2022.{name}",
        "vietri2022",
        locator,
        statement,
        verdict,
        method,
        check,
        corrected,
        quote=quote,
        scope=scope,
        severity=severity,
    )


CLAIMS = (
    _claim(
        "S5.data-sets",
        "Section 5, datasets",
        "Five states and five tasks constitute 25 data sets.",
        C,
        Method.READING,
        _data_sets,
        "(California, New York, Texas, Florida, and Pennsylvania) which together with the five tasks constitute "
        "25 datasets",
        "A consistency check of the text: it counts what is listed.",
    ),
    _claim(
        "S5.cm",
        "Section 5.1, CM",
        "The class C x C x L consists of 3-way marginals over two feature columns and a target.",
        W,
        Method.EXACT,
        _categorical_marginals,
        r"$Q_{cat} = \{q_{S,y} : S \in (C \times C \times L), y \in \mathcal{X}_S\}$",
        "True for pairs of different columns, each pair taken once: 1500 tables instead of 3125 triples.",
    ),
    _claim(
        "S5.mm",
        "Section 5.1, MM, with Definition 3",
        "Two numerical columns and a target make 3-way mixed marginals, of which there are infinitely many.",
        C,
        Method.EXACT,
        _mixed_marginals,
        "Since the possible set of marginals involving numerical features is infinite, we use 200,000 random 3-way "
        "mixed marginal queries",
    ),
    _claim(
        "S5.bins",
        "Section 5.1, experimental setup",
        "The results use 30 bins, chosen among the numbers of bins that are compared.",
        C,
        Method.READING,
        _bins,
        r"bins in $\{10, 20, 30, 50, 100\}$. For the results, we choose 30 bins",
        "True: 30 is among the numbers in the setup. Figure 3 does not show it, but the appendix may.",
    ),
    _claim(
        "S5.epochs",
        "Section 5.1, experimental setup, with Figure 3 and Algorithm 2, line 1",
        "T_LT = 50 is among the values compared, and with K = 10 it satisfies T <= m/K for m = 200,000.",
        C,
        Method.EXACT,
        _epochs,
        r"$T_{LT} = 50$ and $K = 10$ since it works well across all settings",
    ),
    _claim(
        "S5.tcm",
        "Section 5.1, experimental setup",
        "T_CM, the categorical columns minus 1, is consistent with PGM and RAP.",
        W,
        Method.EXACT,
        _categorical_epochs,
        r"To be consistent with PGM and RAP we always choose $T_{CM} = d_{|C|} - 1$",
        "The rule is the same but the numbers are not, since PGM and RAP also use the binned numerical columns.",
        severity=Severity.READING,
    ),
    _claim(
        "S0.binning-cost",
        "Abstract",
        "A higher granularity of bins makes marginal-based methods scale worse.",
        C,
        Method.EXACT,
        _binned_cells,
        "Higher binning granularity [...] negatively impacts scalability",
        scope=Scope.REASONED,
    ),
    _claim(
        "S0.binning-accuracy",
        "Abstract",
        "A higher granularity of bins is required for better accuracy.",
        W,
        Method.EXACT,
        _binning_error,
        "Higher binning granularity is required for better accuracy",
        "True of the error that binning alone causes in a threshold query, with equally many records in each bin: no "
        "answer from B bins is better than 1/(2B) in general. If each cell has noise, more bins do not always help.",
        scope=Scope.REASONED,
        severity=Severity.READING,
    ),
    _claim(
        "S5.f1",
        "Section 5.2, ML evaluation",
        "The F1 score is the harmonic mean of precision and recall.",
        C,
        Method.SYMBOLIC,
        _f1_score,
        "F1 score which is a harmonic mean of precision",
        scope=Scope.ALL_CASES,
    ),
    _claim(
        "S5.macro-f1",
        "Section 5.2, ML evaluation",
        "Macro F1, the mean of the F1 scores of the classes, does not need a positive class.",
        C,
        Method.SYMBOLIC,
        _macro,
        "isn't a clear definition of the positive class in each task, so we report the macro F1 score",
        scope=Scope.ALL_CASES,
    ),
)

WITHDRAWN = (
    Withdrawn(
        "vietri2022.S5.lt", "How queries are drawn is a setting; that few of them divide the data is our own remark."
    ),
    Withdrawn("vietri2022.S5.lt-labels", "How queries are drawn is a setting; there is nothing to check."),
)
