"""What `infer` takes: a release, one question about it, and a level of confidence; and which options go together."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from bounds.parameter import Parameter, Range
from mechanisms.models.parameters import CERTIFY_PARAMETERS, file_parameter
from release.parameters import ENCODING_PARAMETERS, IGNORE_EXTRA, MARGINAL_PARAMETERS, MOST_RECORDS, RELEASE_PARAMETERS

QUESTION = "question, one of these"
SHARE, TESTS, SPECTRUM = "with --proportion", "with --chi2 and --fit", "with --pca"
COEFFICIENTS, SIGNS = "with --ols, --edges and --signs", "with --signs"
SURE, PLAN = "confidence", "planning, with --plan and without a release"
GROUPS = (QUESTION, SHARE, TESTS, SPECTRUM, COEFFICIENTS, SIGNS, SURE, PLAN)
QUESTIONS = ("proportion", "chi2", "fit", "pca", "ols", "edges", "signs")
EVENT = "COLUMN=VALUE"
MOST_SIMULATED = 10**6
"""Tables drawn for a p-value."""

LEVEL = Parameter(
    "level",
    SURE,
    "coverage probability of an interval or a set; tests reject at 1 - L",
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
        "with --synthetic, a release of the distance or the errors of that table",
        "RELEASE",
        positional=True,
        optional=True,
        hint="name a release, or plan one (--plan)",
    ),
    Parameter(
        "proportion",
        QUESTION,
        "share of records with a value, with one of several values (COLUMN=V1|V2), or with values of two columns "
        "(A=V & B=W)",
        metavar=EVENT,
    ),
    Parameter("chi2", QUESTION, "test whether two columns are independent", metavar="A:B"),
    file_parameter(
        "fit",
        QUESTION,
        "test whether the population has these shares: a CSV with a header and a line per value (its text, its share)",
        "SHARES",
    ),
    Parameter(
        "pca",
        QUESTION,
        "first K principal components, and all eigenvalues",
        "integer",
        Range(least=1, most=50, reason="components"),
        metavar="K",
    ),
    Parameter("ols", QUESTION, 'least squares, as in "y ~ a + b"; a dot stands for all columns', metavar="FORMULA"),
    Parameter("edges", QUESTION, "pairs of columns that are correlated given all the others", "flag"),
    file_parameter("signs", QUESTION, "signs of the coefficients of the best model on the real table", "MODEL"),
    Parameter("given", SHARE, "only among the records with this value", metavar=EVENT),
    Parameter(
        "difference",
        SHARE,
        "difference between the groups of a column of two values, or between two of its values",
        metavar="COLUMN[=V1,V2]",
    ),
    Parameter("odds_ratio", SHARE, "with --difference: also the odds ratio", "flag"),
    file_parameter(
        "synthetic",
        SHARE,
        "share from the rows of this finished table, .csv or .parquet, and what RELEASE certifies about it",
        "TABLE",
    ),
    replace(IGNORE_EXTRA, group=SHARE, text="with --synthetic: leave out columns that are not in the schema"),
    Parameter(
        "simulate",
        TESTS,
        "number of tables drawn for a p-value",
        "integer",
        Range(least=99, most=MOST_SIMULATED, reason="simulated tables"),
        metavar="B",
        default=999,
    ),
    replace(RELEASE_PARAMETERS["seed"], group=TESTS, text="seed of these tables"),
    Parameter("centred", SPECTRUM, "use the covariance matrix, not the second moments with the intercept", "flag"),
    Parameter(
        "ridge",
        COEFFICIENTS,
        "with --ols and --signs: add (LAM/2) norm^2 to half the mean squared error, or to the mean loss, with "
        "features in the unit ball",
        "rational",
        Range(least=Fraction(1, 10**12), most=10**6, reason="weight of half the squared norm"),
        metavar="LAM",
    ),
    Parameter(
        "lasso",
        COEFFICIENTS,
        "with --ols: add LAM times the sum of the absolute coefficients to half the mean squared error, with a free "
        "intercept and features from -1 to 1",
        "rational",
        Range(above=0, most=10**6, reason="weight of the absolute coefficients"),
        metavar="LAM",
    ),
    Parameter(
        "any_formula",
        COEFFICIENTS,
        "with --ols: one level for all formulas, ridges and penalties, which may then be chosen after a look",
        "flag",
    ),
    Parameter(
        "least",
        COEFFICIENTS,
        "with --edges: also find the partial correlations that are certainly no larger",
        "rational",
        Range(above=0, below=1, reason="a correlation"),
        metavar="T",
        default="0.1",
    ),
    Parameter(
        "columns",
        COEFFICIENTS,
        "with --edges: only these columns, chosen before the release was seen, each pair given the rest of them",
        "list",
        metavar="COLUMN",
        otherwise="all",
    ),
    replace(CERTIFY_PARAMETERS["tau"], group=SIGNS, text="best model among all of norm at most T"),
    Parameter("intervals", SIGNS, "also intervals of all coefficients, which takes longer", "flag"),
    Parameter("coefficient", SIGNS, "only the coefficient of this feature", metavar="FEATURE"),
    file_parameter(
        "certificate", SIGNS, "write the proof of --coefficient, for `synthbounds check`", "FILE", role="written"
    ),
    LEVEL,
    Parameter("plan", PLAN, "predict widths and power before anything is spent", "flag"),
    replace(RELEASE_PARAMETERS["schema"], group=PLAN, text="public schema of the table", hint="give the public schema"),
    Parameter(
        "n",
        PLAN,
        "number of records that the table will have",
        "integer",
        Range(least=1, most=MOST_RECORDS, reason="number of records"),
        metavar="N",
        hint="say how many records the table will have (--n)",
    ),
    replace(RELEASE_PARAMETERS["epsilon"], group=PLAN, text="total privacy parameter epsilon of the planned release"),
    replace(RELEASE_PARAMETERS["dp_delta"], group=PLAN),
    replace(
        RELEASE_PARAMETERS["adjacency"],
        group=PLAN,
        text="which tables are neighbours: replace-one (n is public) or add-remove (with --least-size)",
        otherwise="replace-one",
    ),
    replace(RELEASE_PARAMETERS["least_size"], group=PLAN),
    replace(MARGINAL_PARAMETERS["mechanism"], group=PLAN, text="noise with --chi2: {choices}"),
    *(replace(MARGINAL_PARAMETERS[name], group=PLAN) for name in ("pairs", "one_way")),
    replace(
        RELEASE_PARAMETERS["label"],
        group=PLAN,
        text="with --pca: label of the release of moments, which is not a feature",
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
        "with --proportion: the share to assume",
        "rational",
        Range(above=0, below=1, reason="a share"),
        metavar="P",
        default="1/2",
    ),
    Parameter(
        "group_share",
        PLAN,
        "with --given: share of the records in the group, to assume",
        "rational",
        Range(above=0, below=1, reason="a share"),
        metavar="P",
        otherwise="all values equally frequent",
    ),
    Parameter(
        "effect",
        PLAN,
        "with --chi2: Cramér's V to detect",
        "rational",
        Range(above=0, most=1, reason="an effect"),
        metavar="V",
        default="0.1",
    ),
)
"""All that the command takes, files included."""
INFER_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in INFER}
PLANNED = tuple(parameter.name for parameter in INFER if parameter.group == PLAN and parameter.name != "plan")
"""What is only for a plan."""
NOT_PLANNED = (
    "release", "difference", "odds_ratio", "synthetic", "ignore_extra", "simulate", "seed", "centred", "lasso",
    "any_formula",
    "certificate",
)  # fmt: skip
"""Options of questions that can be planned for which a plan has no use."""
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
"""The questions that an option goes with; an option that is not named here goes with all."""
