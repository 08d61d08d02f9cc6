"""Every parameter of a question about excess risk, declared once: its range and what it means."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from bounds.parameter import Parameter, Range
from bounds.parameters import EDITION, LEAST_POSITIVE, PARAMETERS

ASK, MODEL, DATA = "privacy and accuracy", "model", "data and marginals"

_TABLE = (
    Parameter(
        "target",
        ASK,
        "excess risk to reach; finds the smallest n",
        "rational",
        Range(least=LEAST_POSITIVE, most=10**9, reason="excess risk to reach"),
        metavar="A",
    ),
    replace(EDITION, group=ASK, filled=False),
    Parameter("theorem", ASK, "id of a theorem: zhou2024.lipschitz for any loss, or zhou2024.lower", metavar="ID"),
    Parameter("solve_for", ASK, "epsilon: find the smallest one for --n and --target", metavar="X"),
    Parameter(
        "approximation",
        ASK,
        "polynomial for the loss: bernstein, iterated:H, chebyshev, interpolation, minimax or optimal",
        metavar="METHOD",
        otherwise="whichever gives the best bound",
    ),
    Parameter("loss", MODEL, "a loss as in `approx --function`", default="logistic"),
    Parameter(
        "tau",
        MODEL,
        "largest |w|_2 of a model; then R = tau sqrt(number of features)",
        "rational",
        Range(least=Fraction(1, 10**6), most=10**6, reason="largest norm of a model"),
    ),
    Parameter(
        "radius",
        MODEL,
        "R, the largest |w|_1 of a model, instead of --tau",
        "rational",
        Range(least=Fraction(1, 10**6), most=10**3, reason="largest |w|_1 of a model"),
        metavar="R",
    ),
    Parameter(
        "intercept",
        MODEL,
        "largest absolute value of the intercept, which adds to R; 0 if there is none",
        "rational",
        Range(least=0, most=10**3, reason="largest absolute value of the intercept"),
        metavar="B",
    ),
    Parameter(
        "optimisation_gap",
        MODEL,
        "how far the synthetic risk of the model may be above the minimum",
        "rational",
        Range(least=0, most=10**3, reason="synthetic risk above the minimum"),
        metavar="ETA",
        default=0,
    ),
    Parameter(
        "features",
        DATA,
        "number of features, without the label",
        "integer",
        Range(least=1, most=10**6, reason="number of features"),
        metavar="P",
    ),
    Parameter(
        "marginals",
        DATA,
        "order of the marginals: number of attributes in each, including the label",
        "integer",
        Range(least=1, most=10**6, reason="order of the marginals"),
        metavar="D",
        otherwise="the best",
    ),
    Parameter(
        "marginal_error",
        DATA,
        "s, the largest L1 distance between a real and a synthetic marginal, as shares (nu/n)",
        "rational",
        Range(least=0, most=2, reason="two distributions are at most 2 apart in L1"),
        metavar="S",
    ),
    Parameter(
        "nu",
        DATA,
        "the same distance in counts; needs --n, and --k if the sizes differ",
        "rational",
        Range(least=0, most=10**100, reason="L1 distance of two tables of counts"),
    ),
    Parameter(
        "n",
        DATA,
        "number of records",
        "integer",
        Range(least=1, most=10**100, reason="number of records"),
    ),
    Parameter(
        "k",
        DATA,
        "number of rows of the synthetic table, with --nu (default n)",
        "integer",
        Range(least=1, most=10**100, reason="number of rows of the synthetic table"),
    ),
    PARAMETERS["epsilon"],
    PARAMETERS["dp_delta"],
    Parameter(
        "levels",
        DATA,
        "largest number of levels of an attribute",
        "integer",
        Range(least=2, most=10**6, reason="the label has two levels"),
        metavar="L",
        default=2,
    ),
    Parameter(
        "failure",
        DATA,
        "probability that the bound fails, for private marginals",
        "rational",
        Range(least=LEAST_POSITIVE, below=1, reason="a probability, greater than 0 and less than 1"),
        metavar="B",
    ),
    Parameter(
        "release",
        DATA,
        "what is published: {choices} (sums of x_i y and x_i x_j, for features -1 and 1)",
        "choice",
        choices=("marginals", "moments"),
        default="marginals",
    ),
    replace(
        PARAMETERS["adjacency"],
        group=DATA,
        text="{default} (default); add-remove is refused, because n must be public",
    ),
    Parameter(
        "log_n",
        DATA,
        "ln n, for zhou2024.lower",
        metavar="X",
    ),
    Parameter(
        "query_constant",
        DATA,
        "c, the unknown constant of the lower bound for statistical queries, for zhou2024.lower",
        metavar="C",
    ),
)
RISK_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _TABLE}
GROUPS = (ASK, MODEL, DATA)
