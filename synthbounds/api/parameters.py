"""Parameters of commands that have no package of their own, each declared once."""

from __future__ import annotations

from dataclasses import replace

from bounds.model import EDITIONS
from bounds.parameter import Parameter, Range
from bounds.parameters import PARAMETERS
from synthbounds.api import OUTPUT, SHOWN, table
from verify.spread.parameters import CERTIFICATES, SCHEDULER, SPREAD, WORKERS

_DISTRIBUTION = (
    "uniform:N, zipf:N[:S], dirichlet:N:ALPHA:SEED, or a CSV file with a weight, or a label and a weight, per line"
)
_WHERE = "its place in the paper, such as 'Corollary 3.6' or 'zhou2024 3.6'"
_SEED = Range(least=0, below=2**64)


RENYI = table(
    Parameter(
        "nu",
        "",
        f"distribution of the records: {_DISTRIBUTION}",
        role="read",
        hint="give the distribution of the records (--nu)",
    ),
    Parameter("mu", "", "reference measure, in the same form", role="read"),
    Parameter("through", "", "intermediate distribution for equation (10), in the same form", role="read"),
    Parameter(
        "n",
        "",
        "number of records, for the perturbed histogram",
        "integer",
        Range(least=1, most=10**15, reason="records of the perturbed histogram"),
    ),
    Parameter("epsilon", "", "privacy of the perturbed histogram", "rational", PARAMETERS["epsilon"].range),
    Parameter("simulate", "", "simulate the perturbed histogram this many times", "integer", metavar="RUNS"),
    Parameter(
        "variant",
        "",
        "variant of the histogram: {choices}",
        "choice",
        choices=("plain", "mixed", "shifted"),
        default="plain",
        filled=True,
    ),
    Parameter("seed", "", "seed of the simulation", "integer", _SEED, default=0, filled=True),
)
APPROX = table(
    Parameter(
        "function",
        "",
        "logistic, softplus, log-sigmoid, log-sigmoid-minus, exp, exponential, hinge, squared-hinge, "
        "huber[:KNEE], abs, phi-gamma:G, gamma-phi-gamma:G, or an expression such as 'log(1+exp(-x))'",
        hint="give --function",
    ),
    Parameter("interval", "", "ends of the interval, such as -5,5", metavar="A,B", hint="give --interval"),
    Parameter(
        "degree",
        "",
        "degree of the polynomial, from 1 up to 100 (minimax), 40 (optimal), 200 (chebyshev, interpolation), "
        "400 (iterated) or 1000 (bernstein)",
        "integer",
        hint="give --degree",
    ),
    Parameter(
        "method",
        "",
        "{default} (default), optimal, chebyshev, interpolation, bernstein, iterated:H, iterated:inf or iterated:best",
        default="minimax",
        filled=True,
    ),
    Parameter("marginal_error", "", "s = nu/n, for --method optimal", "rational", metavar="S"),
    Parameter(
        "certificate",
        "",
        "write a certificate for `synthbounds check` (degree up to 200)",
        "file",
        metavar="FILE",
        role="written",
    ),
)
DRAFT = table(
    Parameter("bins", "", "number of bins for a column of numbers", "integer", metavar="B", default=10, filled=True),
    Parameter(
        "most_levels",
        "",
        "largest number of distinct values that become levels",
        "integer",
        metavar="L",
        default=20,
        filled=True,
    ),
)
VERIFY = table(
    Parameter("paper", "", "only the claims of one paper"),
    Parameter("id", "", f"one claim in full, all claims whose ids begin with ID, or {_WHERE}", metavar="ID"),
    Parameter("thorough", "", "repeat a tenth of the recorded runs of experiments, which takes minutes", "flag"),
    Parameter(
        "simulate",
        "",
        "run the algorithm this many times instead, and count how often guarantees are missed",
        "integer",
        Range(least=1, most=10**7, reason="runs of each guarantee"),
        metavar="RUNS",
    ),
    Parameter(
        "store",
        "",
        "with --simulate: keep finished runs in FILE and continue from them",
        "file",
        metavar="FILE",
        role="kept",
    ),
    Parameter("falls", "", "list instead what rests on this claim in its paper and falls with it", metavar="ID"),
    Parameter(
        "export",
        "",
        "write instead everything that the ledger declares, without running it",
        "file",
        metavar="FILE.json",
        role="written",
    ),
    replace(WORKERS, default=None, otherwise="2 for claims if there are two processors, else 1"),
    SCHEDULER,
    CERTIFICATES,
)
AUDIT = table(
    Parameter(
        "name",
        "",
        "mechanism to audit; without it, all of them are listed",
        metavar="NAME",
        positional=True,
        optional=True,
    ),
    Parameter("epsilon", "", "claimed privacy parameter epsilon", "rational", otherwise="the mechanism's own"),
    Parameter(
        "layer",
        "",
        "how to audit: {default} (default; certified), ratio (densities and samples) or blackbox (samples only)",
        "choice",
        choices=("exact", "ratio", "blackbox"),
        default="exact",
    ),
    Parameter(
        "samples",
        "",
        "number of samples for each input, half to choose and half to test",
        "integer",
        metavar="N",
        default=20_000,
    ),
    Parameter("seed", "", "seed of the samples", "integer", _SEED, default=0),
    Parameter(
        "all", "", "audit all mechanisms, or those whose names begin with NAME, and compare with what is known", "flag"
    ),
    *SPREAD,
)
FIGURES = table(
    Parameter("names", "", "figures to make", "list", metavar="NAME", positional=True, optional=True, otherwise="all"),
    Parameter("list", "", "list the figures without making any", "flag"),
    SHOWN["format"],
    Parameter(
        "folder",
        OUTPUT,
        "folder for data and pictures; existing ones are replaced",
        "text",
        metavar="DIR",
        default="paper_figures/output",
        spelled="--output",
        short="-o",
    ),
    *SPREAD,
)
"""They are written into a folder; other commands write a file."""
EXPLAIN = table(
    Parameter("id", "", f"id of a theorem (see `synthbounds list`), or {_WHERE}", metavar="ID", positional=True),
    Parameter(
        "at",
        "",
        "values at which to evaluate a helper statement, such as sigma=1,count=256,gamma=0.05",
        metavar="NAME=VALUE,...",
    ),
    Parameter("edition", "", "only this edition: {choices}", "choice", metavar="NAME", choices=EDITIONS),
)
COMPLETION = table(
    Parameter("shell", "", "{choices}", "choice", metavar="SHELL", choices=("bash", "zsh", "fish"), positional=True),
)
LIST = table(
    Parameter(
        "where",
        "",
        "only theorems at this place in a paper, such as 'Theorem 2.3'",
        positional=True,
        optional=True,
        metavar="PLACE",
    ),
    Parameter("paper", "", "only theorems of one paper"),
)
CITE = table(
    Parameter(
        "what",
        "",
        f"id of a theorem, {_WHERE}, or key of a paper",
        metavar="ID",
        positional=True,
        optional=True,
        default="synthbounds",
        filled=True,
    )
)
RECOVER = (
    Parameter(
        "file",
        "",
        "recovery file that the interrupted release left next to its output: NAME.recovery.json",
        "file",
        metavar="FILE",
        role="read",
        positional=True,
    ),
    Parameter(
        "table",
        "",
        "table of the interrupted run: a method that measures in rounds continues with what is left of its budget",
        "file",
        metavar="TABLE",
        role="read",
    ),
    *(
        Parameter(
            name,
            OUTPUT,
            f"write the {what} to FILE",
            "file",
            metavar="FILE",
            role="written",
            otherwise="where the interrupted command would have written it",
        )
        for name, what in (("synthetic", "table"), ("release", "release"), ("log", "log"))
    ),
)
