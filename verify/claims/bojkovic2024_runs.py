"""What bojkovic2024 says about Figures 1 and 2, judged by our recorded runs of its algorithm at its printed sizes."""

from __future__ import annotations

import statistics

from verify.claim import Claim, Evidence, Verdict, Withdrawn, reproduced_if
from verify.experiments.compared import sides
from verify.experiments.recorded import recorded_lines, runs_by
from verify.experiments.rerun import Rerun
from verify.experiments.stated import empirical
from verify.experiments.statistics import Signs, signs

_P = "bojkovic2024"
UNIFORM, HISTOGRAM = "uniform", "histogram"
SIMILAR = 0.05
"""Compared with a largest error of about a third."""
_QUOTE = "Note that computational speedups are tangible, and both methods perform similarly in terms of accuracy"
_RUNS = (
    "Uniform records in {0,1}^p, all marginals of up to two attributes, epsilon 0.2, delta 0.5, gamma 0.25; n, m and k "
    "as printed, so the histogram has far more records."
)


def _faster() -> Evidence:
    ratios: dict[str, list[float]] = {}
    for line in recorded_lines("bojkovic2024_times"):
        ratios.setdefault(str(line["p"]), []).append(line[UNIFORM]["cpu_s"] / line[HISTOGRAM]["cpu_s"])
    for_it, against, total = sides({p: [ratio - 1 for ratio in values] for p, values in ratios.items()})
    shown = ", ".join(f"{statistics.fmean(values):.3g} at p = {p}" for p, values in ratios.items())
    text = (
        f"with histogram points it is faster in {total.more} of {total.more + total.less} pairs of runs (sign test p = "
        f"{total.p_value:.2g}); average speed-up {shown}"
    )
    return reproduced_if(total.direction > 0 and not against and len(for_it) == len(ratios), text)


def _similar() -> Evidence:
    found = runs_by("bojkovic2024", "measure", "p")
    means, total = {}, Signs(0, 0)
    for p in sorted({key[1] for key in found}):
        pairs = zip(found[UNIFORM, p], found[HISTOGRAM, p], strict=True)
        differences = [one["paper"] - other["paper"] for one, other in pairs]
        means[p], total = statistics.fmean(differences), total + signs(differences)
    shown = ", ".join(f"{mean:+.3f} at p = {p}" for p, mean in means.items())
    text = (
        f"uniform sampling has the larger error in {total.more} pairs of runs and the smaller in {total.less} (sign "
        f"test p = {total.p_value:.2g}); mean differences {shown}"
    )
    return reproduced_if(total.direction == 0 and max(map(abs, means.values())) <= SIMILAR, text)


CLAIMS: tuple[Claim, ...] = (
    empirical(
        "bojkovic2024.runs.fig1-faster", _P, "Appendix C-C, Figure 1",
        "With reference points from a private histogram the linear programme takes less time than with uniform ones.",
        _QUOTE, Verdict.REPRODUCED, _faster,
        f"The paper's programme by PuLP and CBC, p = 2 to 6, five draws each, CPU seconds. {_RUNS} Equal "
        "columns are not merged there, though at most 2^p of them differ.",
        rerun=Rerun("bojkovic2024_times", ({},), ("uniform.m", "histogram.m")),
    ),
    empirical(
        "bojkovic2024.runs.fig2-similar", _P, "Appendix C-C, Figure 2",
        "Both methods have similar errors.", _QUOTE, Verdict.REPRODUCED, _similar,
        f"p = 2 to 10, twenty draws each; similar means a mean difference of at most {SIMILAR}. {_RUNS} The paper's "
        "noise is the same for any n; with noise scaled to n, the same records give errors several times smaller.",
        rerun=Rerun("bojkovic2024", ({},), ("paper",)),
    ),
)  # fmt: skip

WITHDRAWN = (
    Withdrawn(
        "bojkovic2024.Fig.similar",
        "The curves are not in the text that we read; what they show is judged by runs.",
        see="bojkovic2024.runs.fig2-similar",
    ),
)
