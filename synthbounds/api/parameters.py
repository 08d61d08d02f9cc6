"""Parameters of commands that have no room of their own, each declared once."""

from __future__ import annotations

from dataclasses import replace

from bounds.parameter import Parameter, Range
from bounds.parameters import PARAMETERS
from synthbounds.api import OUTPUT, SHOWN, table
from verify.spread.parameters import CERTIFICATES, SCHEDULER, SPREAD, WORKERS

_DISTRIBUTION = (
    "uniform:N, zipf:N[:S], dirichlet:N:ALPHA:SEED, or a CSV file with a weight, or label and weight, a line"
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
    Parameter("mu", "", "reference measure, likewise", role="read"),
    Parameter("through", "", "intermediate distribution for equation (10), likewise", role="read"),
    Parameter(
        "n",
        "",
        "records, for the perturbed histogram",
        "integer",
        Range(least=1, most=10**15, reason="records of the perturbed histogram"),
    ),
    Parameter("epsilon", "", "privacy of the perturbed histogram", "rational", PARAMETERS["epsilon"].range),
    Parameter("simulate", "", "simulate the perturbed histogram", "integer", metavar="RUNS"),
    Parameter("variant", kind="choice", choices=("plain", "mixed", "shifted"), default="plain", filled=True),
    Parameter("seed", "", "seed of the simulation", "integer", _SEED, default=0, filled=True),
)
APPROX = table(
    Parameter(
        "function",
        "",
        "logistic, softplus, log-sigmoid, log-sigmoid-minus, exp, exponential, hinge, squared-hinge, "
        "huber[:KNEE], abs, phi-gamma:G, gamma-phi-gamma:G, or text such as 'log(1+exp(-x))'",
        hint="give --function",
    ),
    Parameter("interval", "", "ends of the interval, such as -5,5", metavar="A,B", hint="give --interval"),
    Parameter(
        "degree",
        "",
        "degree of the polynomial, from 1 to 100 (minimax), 40 (optimal), 200 (chebyshev, interpolation), "
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
    Parameter("marginal_error", "", "s = nu/n, for the method optimal", "rational", metavar="S"),
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
    Parameter("bins", "", "bins of a column of numbers", "integer", metavar="B", default=10, filled=True),
    Parameter(
        "most_levels",
        "",
        "at most so many distinct values become levels",
        "integer",
        metavar="L",
        default=20,
        filled=True,
    ),
)
VERIFY = table(
    Parameter("paper", "", "only the claims of one paper"),
    Parameter("id", "", f"one claim in full, all whose id begins with it, or {_WHERE}", metavar="ID"),
    Parameter("thorough", "", "make a tenth of the recorded runs of experiments again, which takes minutes", "flag"),
    Parameter(
        "simulate",
        "",
        "run the algorithm instead: how often guarantees are missed",
        "integer",
        Range(least=1, most=10**7, reason="runs of each guarantee"),
        metavar="RUNS",
    ),
    Parameter(
        "store",
        "",
        "with --simulate: keep finished runs here, and go on from them",
        "file",
        metavar="FILE",
        role="kept",
    ),
    Parameter("falls", "", "instead: what rests on this claim in its paper, and falls with it", metavar="ID"),
    Parameter(
        "export",
        "",
        "instead: write all that the ledger declares, without running it",
        "file",
        metavar="FILE.json",
        role="written",
    ),
    replace(WORKERS, default=None, otherwise="2 for claims where there are two processors, else 1"),
    SCHEDULER,
    CERTIFICATES,
)
AUDIT = table(
    Parameter(
        "name",
        "",
        "the subject; without it, all subjects are listed",
        metavar="NAME",
        positional=True,
        optional=True,
    ),
    Parameter("epsilon", "", "the privacy that is claimed", "rational", otherwise="the subject's own"),
    Parameter(
        "layer",
        "",
        "{default} (default): certified; ratio: densities and samples; blackbox: samples only",
        "choice",
        choices=("exact", "ratio", "blackbox"),
        default="exact",
    ),
    Parameter(
        "samples",
        "",
        "samples of each input, half to choose, half to test",
        "integer",
        metavar="N",
        default=20_000,
    ),
    Parameter("seed", "", "seed of the samples", "integer", _SEED, default=0),
    Parameter(
        "all", "", "every subject, or all whose names begin with NAME, each judged by what is known of it", "flag"
    ),
    *SPREAD,
)
FIGURES = table(
    Parameter(
        "names", "", "the figures to make", "list", metavar="NAME", positional=True, optional=True, otherwise="all"
    ),
    Parameter("list", "", "list the figures and make none", "flag"),
    SHOWN["format"],
    Parameter(
        "folder",
        OUTPUT,
        "folder for data and pictures, which are replaced",
        "text",
        metavar="DIR",
        default="paper_figures/output",
        spelled="--output",
        short="-o",
    ),
    *SPREAD,
)
"""They are written into a folder, where others write a file."""
EXPLAIN = table(
    Parameter("id", "", f"theorem id, see `synthbounds list`, or {_WHERE}", metavar="ID", positional=True),
    Parameter(
        "at",
        "",
        "numbers at which a helper statement is evaluated, such as sigma=1,count=256,gamma=0.05",
        metavar="NAME=VALUE,...",
    ),
)
COMPLETION = table(
    Parameter("shell", "", "{choices}", "choice", metavar="SHELL", choices=("bash", "zsh", "fish"), positional=True),
)
LIST = table(
    Parameter(
        "where",
        "",
        "only those at a place of a paper, such as 'Theorem 2.3'",
        positional=True,
        optional=True,
        metavar="PLACE",
    ),
    Parameter("paper", "", "only those of one paper"),
)
CITE = table(
    Parameter(
        "what",
        "",
        f"theorem id, {_WHERE}, or key of a paper",
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
        "what the interrupted release left beside its file: NAME.recovery.json",
        "file",
        metavar="FILE",
        role="read",
        positional=True,
    ),
    Parameter(
        "table",
        "",
        "the table of the interrupted run: one that measures in turn goes on, with the part of its budget that is left",
        "file",
        metavar="TABLE",
        role="read",
    ),
    *(
        Parameter(
            name,
            OUTPUT,
            f"where the {what} goes; by default every file goes where the interrupted command had said",
            "file",
            metavar="FILE",
            role="written",
        )
        for name, what in (("synthetic", "table"), ("release", "release"), ("log", "log"))
    ),
)
