"""What `infer` takes: a release, one question about it, and how sure the answer must be; and what goes with which."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from bounds.parameter import Parameter, Range
from mechanisms.models.parameters import CERTIFY_PARAMETERS, file_parameter
from release.parameters import ENCODING_PARAMETERS, IGNORE_EXTRA, MARGINAL_PARAMETERS, MOST_RECORDS, RELEASE_PARAMETERS

QUESTION = "the question, one of these"
SHARE, TESTS, SPECTRUM = "with --proportion", "with --chi2 and --fit", "with --pca"
COEFFICIENTS, SIGNS = "with --ols, --edges and --signs", "with --signs"
SURE, PLAN = "confidence", "planning, with --plan and without a release"
GROUPS = (QUESTION, SHARE, TESTS, SPECTRUM, COEFFICIENTS, SIGNS, SURE, PLAN)
QUESTIONS = ("proportion", "chi2", "fit", "pca", "ols", "edges", "signs")
EVENT = "COLUMN=VALUE"
MOST_SIMULATED = 10**6
"""Tables that are drawn for a p-value."""

LEVEL = Parameter(
    "level",
    SURE,
    "probability with which an interval or a set covers; tests reject at 1 - L",
    "rational",
    Range(least=Fraction(1, 2), most=1 - Fraction(1, 10**9), reason="a probability"),
    metavar="L",
    default="0.95",
)

INFER = (
    file_parameter(
        "release",
        "",
        "marginals for shares and tests, moments for spectra, regressions, edges and signs; "
        "with --synthetic a release of the distance or the errors of that table",
        "RELEASE",
        positional=True,
        optional=True,
        hint="name the release that is asked, or plan one (--plan)",
    ),
    Parameter(
        "proportion",
        QUESTION,
        "the share of records with a value, with one of several (COLUMN=V1|V2), or with values of two columns "
        "(A=V & B=W)",
        metavar=EVENT,
    ),
    Parameter("chi2", QUESTION, "are two columns independent?", metavar="A:B"),
    file_parameter(
        "fit",
        QUESTION,
        "does the population have these shares? A CSV with a header and a line for each value: its text, its share",
        "SHARES",
    ),
    Parameter(
        "pca",
        QUESTION,
        "the first K principal components, and all eigenvalues",
        "integer",
        Range(least=1, most=50, reason="components"),
        metavar="K",
    ),
    Parameter("ols", QUESTION, 'least squares, as in "y ~ a + b"; a dot stands for all columns', metavar="FORMULA"),
    Parameter("edges", QUESTION, "which columns go together when all others are given?", "flag"),
    file_parameter("signs", QUESTION, "signs of the coefficients of the best model on the table itself", "MODEL"),
    Parameter("given", SHARE, "among the records with this value", metavar=EVENT),
    Parameter(
        "difference",
        SHARE,
        "between the groups of a column of two values, or between two of its values",
        metavar="COLUMN[=V1,V2]",
    ),
    Parameter("odds_ratio", SHARE, "with --difference: the odds ratio, too", "flag"),
    file_parameter(
        "synthetic",
        SHARE,
        "from the rows of a finished table, and what RELEASE certifies of it: .csv or .parquet",
        "TABLE",
    ),
    replace(IGNORE_EXTRA, group=SHARE, text="with --synthetic: leave out columns that are not in the schema"),
    Parameter(
        "simulate",
        TESTS,
        "tables that are drawn for a p-value",
        "integer",
        Range(least=99, most=MOST_SIMULATED, reason="simulated tables"),
        metavar="B",
        default=999,
    ),
    replace(RELEASE_PARAMETERS["seed"], group=TESTS, text="of these tables"),
    Parameter("centred", SPECTRUM, "of the covariance matrix, not of second moments with the intercept", "flag"),
    Parameter(
        "ridge",
        COEFFICIENTS,
        "with --ols and --signs: add (LAM/2) norm^2 to half the mean squared error, or to the mean loss, features in "
        "the unit ball",
        "rational",
        Range(least=Fraction(1, 10**12), most=10**6, reason="weight of half the squared norm"),
        metavar="LAM",
    ),
    Parameter(
        "lasso",
        COEFFICIENTS,
        "with --ols: add LAM times the sum of the sizes of the coefficients to half the mean squared error, the "
        "intercept free, features from -1 to 1",
        "rational",
        Range(above=0, most=10**6, reason="weight of the coefficients' sizes"),
        metavar="LAM",
    ),
    Parameter(
        "any_formula",
        COEFFICIENTS,
        "with --ols: one level for all formulas, ridges and penalties together, chosen after a look",
        "flag",
    ),
    Parameter(
        "least",
        COEFFICIENTS,
        "with --edges: also which partial correlations are certainly no larger",
        "rational",
        Range(above=0, below=1, reason="a correlation"),
        metavar="T",
        default="0.1",
    ),
    Parameter(
        "columns",
        COEFFICIENTS,
        "with --edges: of these columns alone, chosen before the release was seen; the others are not given then",
        "list",
        metavar="COLUMN",
        otherwise="all",
    ),
    replace(CERTIFY_PARAMETERS["tau"], group=SIGNS, text="among all models of norm at most T"),
    Parameter("intervals", SIGNS, "intervals of all coefficients, too, which takes longer", "flag"),
    Parameter("coefficient", SIGNS, "of this feature alone", metavar="FEATURE"),
    file_parameter(
        "certificate", SIGNS, "write the proof of --coefficient, for `synthbounds check`", "FILE", role="written"
    ),
    LEVEL,
    Parameter("plan", PLAN, "widths and power before anything is spent", "flag"),
    replace(RELEASE_PARAMETERS["schema"], group=PLAN, text="public schema of the table", hint="give the public schema"),
    Parameter(
        "n",
        PLAN,
        "records that the table will have",
        "integer",
        Range(least=1, most=MOST_RECORDS, reason="number of records"),
        metavar="N",
        hint="say how many records the table will have (--n)",
    ),
    replace(RELEASE_PARAMETERS["epsilon"], group=PLAN, text="privacy of the release that is planned, in total"),
    replace(RELEASE_PARAMETERS["dp_delta"], group=PLAN),
    replace(
        RELEASE_PARAMETERS["adjacency"],
        group=PLAN,
        text="replace-one (n is public) or add-remove (with --least-size)",
        otherwise="replace-one",
    ),
    replace(RELEASE_PARAMETERS["least_size"], group=PLAN),
    replace(MARGINAL_PARAMETERS["mechanism"], group=PLAN, text="with --chi2: {choices}"),
    *(replace(MARGINAL_PARAMETERS[name], group=PLAN) for name in ("pairs", "one_way")),
    replace(
        RELEASE_PARAMETERS["label"],
        group=PLAN,
        text="with --pca: the label of the release of moments, which is no feature",
        otherwise="the last column",
        hint="",
    ),
    *(
        replace(RELEASE_PARAMETERS[name], group=PLAN, text=f"with --pca and --ols: {RELEASE_PARAMETERS[name].text}")
        for name in ENCODING_PARAMETERS
    ),
    Parameter(
        "share",
        PLAN,
        "with --proportion: the share that is supposed",
        "rational",
        Range(above=0, below=1, reason="a share"),
        metavar="P",
        default="1/2",
    ),
    Parameter(
        "group_share",
        PLAN,
        "with --given: the share of the records that are in the group",
        "rational",
        Range(above=0, below=1, reason="a share"),
        metavar="P",
        otherwise="values equally frequent",
    ),
    Parameter(
        "effect",
        PLAN,
        "with --chi2: Cramér's V that is to be found",
        "rational",
        Range(above=0, most=1, reason="an effect"),
        metavar="V",
        default="0.1",
    ),
)
"""All that the command takes, files included."""
INFER_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in INFER}
PLANNED = tuple(parameter.name for parameter in INFER if parameter.group == PLAN and parameter.name != "plan")
"""What is for a plan alone."""
NOT_PLANNED = (
    "release", "difference", "odds_ratio", "synthetic", "ignore_extra", "simulate", "seed", "centred", "lasso",
    "any_formula",
    "certificate",
)  # fmt: skip
"""What a plan has no use for, of the questions that can be planned."""
TAKEN_BY: dict[str, tuple[str, ...]] = {
    "given": ("proportion",),
    "difference": ("proportion",),
    "odds_ratio": ("proportion",),
    "synthetic": ("proportion",),
    "ignore_extra": ("proportion",),
    "share": ("proportion",),
    "group_share": ("proportion",),
    "pairs": ("proportion", "chi2"),
    "one_way": ("proportion", "chi2"),
    "mechanism": ("chi2",),
    "simulate": ("chi2", "fit"),
    "seed": ("chi2", "fit"),
    "effect": ("chi2",),
    "label": ("pca",),
    **dict.fromkeys(ENCODING_PARAMETERS, ("pca", "ols")),
    "centred": ("pca",),
    "least": ("edges",),
    "columns": ("edges",),
    "ridge": ("ols", "signs"),
    "lasso": ("ols",),
    "any_formula": ("ols",),
    "tau": ("signs",),
    "intervals": ("signs",),
    "coefficient": ("signs",),
    "certificate": ("signs",),
}
"""The questions with which an option goes; what is not named here goes with all."""
