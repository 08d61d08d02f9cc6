"""Every command, declared once: what it answers, its parameters, and the functions of the API that answer.

The command line, its help and the command reference are made from this table, and a test holds it to the functions.
"""

from __future__ import annotations

from dataclasses import replace

from bounds.parameter import Parameter
from bounds.parameters import ASK, DATA, HOW, PARAMETERS, STATEMENT
from bounds.risk.parameters import GROUPS as RISK_GROUPS
from bounds.risk.parameters import RISK_PARAMETERS
from lp.synthesis.parameters import GROUPS as SYNTH_GROUPS
from lp.synthesis.parameters import SYNTH_FLAGS, SYNTH_PARAMETERS
from lp.synthesis.parameters import SYNTHETIC as SYNTHETIC_TABLE
from mechanisms.evaluate.parameters import EVALUATE
from mechanisms.evaluate.parameters import GROUPS as EVALUATE_GROUPS
from mechanisms.improve.parameters import GROUPS as IMPROVE_GROUPS
from mechanisms.improve.parameters import IMPROVE
from mechanisms.infer.parameters import GROUPS as INFER_GROUPS
from mechanisms.infer.parameters import INFER
from mechanisms.models.parameters import CERTIFY, CERTIFY_GROUPS, TRAIN, TRAINING_GROUPS
from mechanisms.models.query_parameters import CONFIRM, CONFIRM_GROUPS
from mechanisms.planning.parameters import GROUPS as PLAN_GROUPS
from mechanisms.planning.parameters import PLAN
from mechanisms.regression.parameters import GROUPS as REGRESS_GROUPS
from mechanisms.regression.parameters import REGRESS
from mechanisms.synth.parameters import GROUP as METHOD_GROUP
from mechanisms.synth.parameters import (
    IMPOSSIBLE,
    LOG_FILE,
    LOG_GROUP,
    REDRAW,
    RELEASE_FILE,
    SYNTH_OPTIONS,
    TABLE_TO_READ,
    degree_of_all,
)
from release.account_parameters import ACCOUNT_COMMAND, ACCOUNT_GROUPS
from release.parameters import (
    ELSEWHERE,
    FLOOR_PARAMETERS,
    MARGINAL_PARAMETERS,
    RELEASE_PARAMETERS,
    SYNTHETIC,
    TABLE,
    VALUES,
    WORKLOAD,
)
from release.parameters import GROUPS as RELEASE_GROUPS
from synthbounds.api import REPORTED, SHOWN, STATED, Command, command, output
from synthbounds.api.parameters import (
    APPROX,
    AUDIT,
    CITE,
    COMPLETION,
    DRAFT,
    EXPLAIN,
    FIGURES,
    LIST,
    RECOVER,
    RENYI,
    VERIFY,
)
from synthbounds.api.proofs import CHECK
from synthbounds.api.serving import SERVE
from verify.spread.parameters import GROUP as SPREAD_GROUP
from verify.spread.parameters import SPREAD

_SIZES = "--p 10 --degree 2 --epsilon 0.2 --accuracy 0.4 --failure 0.05"
_INSTEAD = "excess risk instead: with --features, as for `synthbounds risk`"
_SCHEMA = replace(
    RELEASE_PARAMETERS["schema"],
    group=DATA,
    text="columns and levels as in a public schema, instead of --p and --t",
    hint="",
)
_NOT_COMPARED = (*PARAMETERS, "edition", "theorem", "log_n", "query_constant")
_KIND = Parameter(
    "kind",
    "",
    "what is released: {choices}",
    "choice",
    metavar="KIND",
    choices=("moments", "marginals", "floors", "distance", "accuracy"),
    positional=True,
)
_ELSEWHERE = tuple(parameter.name for parameter in ELSEWHERE)
"""They stand for the table that the functions take."""
_RELEASE = (*RELEASE_PARAMETERS.values(), *MARGINAL_PARAMETERS.values(), WORKLOAD, *FLOOR_PARAMETERS.values())

_TABLE = (
    command(
        "require",
        "records n, reference points m and synthetic records k that suffice",
        _SIZES,
        "require solve_for",
        (*STATEMENT.values(), *PARAMETERS.values(), _SCHEMA),
        (ASK, DATA, HOW),
        shown=STATED,
    ),
    command(
        "compare",
        "every theorem and edition that applies, side by side",
        _SIZES,
        "compare compare_risk",
        (
            replace(STATEMENT["measure"], default=None, otherwise="all that fit"),
            *PARAMETERS.values(),
            _SCHEMA,
            *(replace(p, group=_INSTEAD) for p in RISK_PARAMETERS.values() if p.name not in _NOT_COMPARED),
        ),
        (ASK, DATA, HOW, _INSTEAD),
        shown=STATED,
    ),
    command(
        "risk",
        "how much worse a linear model trained on synthetic data can be than the best one",
        "--features 10 --radius 1 --epsilon 1 --dp-delta 1e-6 --failure 0.01 --target 0.1",
        "risk query_lower_bound",
        RISK_PARAMETERS.values(),
        RISK_GROUPS,
        shown=STATED,
    ),
    command(
        "renyi",
        "the Rényi condition number: exact, bounded, simulated",
        "--nu zipf:32 --mu uniform:32 --n 10000 --epsilon 0.2 --simulate 2000",
        "renyi perturbed_histogram",
        RENYI.values(),
    ),
    command(
        "approx",
        "a polynomial near a function, with certified error, coefficients and coefficient sum",
        "--function logistic --interval -5,5 --degree 4 --method minimax",
        "approximate",
        APPROX.values(),
    ),
    CHECK,
    command(
        "schema",
        "all columns of a table and a draft of its public schema, to be corrected by what is publicly known",
        "people.csv --output people.schema.json",
        "describe_table draft_schema",
        (TABLE, *ELSEWHERE, *DRAFT.values()),
        selects=_ELSEWHERE,
    ),
    command(
        "plan",
        "errors of a release by method and epsilon, from a schema and the number of records, before anything is spent",
        "--schema people.schema.json --n 20000 --picture plan.svg",
        "plan_release",
        (*PLAN, *ELSEWHERE),
        PLAN_GROUPS,
        shown=REPORTED,
        selects=_ELSEWHERE,
    ),
    command(
        "synth",
        "a private synthetic table with what is certified of it",
        "people.csv --schema people.schema.json --epsilon 1 --dp-delta 1e-9 --mode release --adjacency replace-one "
        "--synthetic synthetic.csv",
        "synthesize redraw",
        (
            TABLE_TO_READ,
            *ELSEWHERE,
            SYNTHETIC_TABLE,
            RELEASE_FILE,
            *SYNTH_OPTIONS,
            IMPOSSIBLE,
            LOG_FILE,
            REDRAW,
            *(SYNTH_PARAMETERS | {"degree": degree_of_all(SYNTH_PARAMETERS["degree"])}).values(),
            replace(VALUES, group=""),
            *SYNTH_FLAGS,
        ),
        (METHOD_GROUP, LOG_GROUP, *SYNTH_GROUPS),
        shown=REPORTED,
        selects=["values", *_ELSEWHERE],
    ),
    command(
        "release",
        "private moments, marginals or floors of a table, or how near a finished synthetic table is to it",
        "moments people.csv --schema people.schema.json --label income --epsilon 1 "
        "--dp-delta 1e-9 --adjacency replace-one --mode release --output release.json",
        "release_moments release_marginals release_floors release_distance release_accuracy",
        (_KIND, TABLE, SYNTHETIC, *ELSEWHERE, *sorted(_RELEASE, key=lambda p: p.kind in ("flag", "list"))),
        RELEASE_GROUPS,
        shown=output("say where the release goes (--output FILE.json)", REPORTED),
        selects=["kind", *_ELSEWHERE],
    ),
    command(
        "recover",
        "finish an interrupted release from what it had paid for, without the table and without spending again",
        "release.json.recovery.json",
        "recover",
        RECOVER,
        shown=REPORTED,
    ),
    command(
        "train",
        "a linear model trained on a synthetic table, made from a release alone or finished elsewhere",
        "release.json --tau 5 --output model.json",
        "train train_cross_moments train_marginals train_table correct",
        TRAIN,
        TRAINING_GROUPS,
        shown=output("say where the model goes (--output model.json)"),
    ),
    command(
        "regress",
        "a private linear regression of a table by any method of the papers, or of a release at no cost",
        "people.csv --schema people.schema.json --label income --method ssp-edge --epsilon 1 --dp-delta 1e-6 "
        "--mode release --adjacency replace-one --output model.json",
        "regress",
        (*REGRESS, *ELSEWHERE),
        REGRESS_GROUPS,
        shown=output("say where the model goes (--output model.json)"),
        selects=_ELSEWHERE,
    ),
    command(
        "improve",
        "any finished synthetic table, weighted to have what a release says, at no cost",
        "synthetic.csv --release release.json --weights weights.csv --synthetic improved.csv",
        "improve",
        IMPROVE,
        IMPROVE_GROUPS,
    ),
    command(
        "infer",
        "what may be concluded from a release: shares, tests, components, coefficients, edges and signs, at no cost",
        'release.json --proportion "income=1" --given "sex=F"',
        "infer_proportion infer_independence would_real_table_reject infer_fit infer_components infer_coefficients "
        "infer_lasso infer_edges infer_signs plan_proportion plan_independence plan_components plan_coefficients",
        INFER,
        INFER_GROUPS,
        shown=REPORTED,
        selects=["plan", "edges"],
    ),
    command(
        "certify",
        "how much better any other linear model can be on the table that is not seen, from the release alone",
        "release.json model.json",
        "certify certify_excess certify_predictions certify_cross_moments certify_marginals certify_distance "
        "certify_log plan",
        CERTIFY,
        CERTIFY_GROUPS,
        shown=REPORTED,
        selects=["plan"],
    ),
    command(
        "confirm",
        "spend what a release reserved on one question about a fixed model, and certify the model by the answer",
        "people.csv release.json model.json --output query.json",
        "confirm confirm_predictions",
        CONFIRM,
        CONFIRM_GROUPS,
        shown=output("say where the answer goes (--output query.json)", REPORTED),
    ),
    command(
        "evaluate",
        "errors of a synthetic table and scores of learners trained on it, beside the real table: never private",
        "people.csv synthetic.csv --schema people.schema.json --label income --test later.csv --picture errors.svg",
        "evaluate_table",
        (*EVALUATE, *ELSEWHERE, *SPREAD),
        (*EVALUATE_GROUPS, SPREAD_GROUP),
        shown=REPORTED,
        selects=_ELSEWHERE,
    ),
    command(
        "account",
        "what was ever spent on some people, in one file that releasing commands book in (--account)",
        "open patients.account.json --name patients --adjacency replace-one --epsilon 4 --dp-delta 1e-9",
        "open_account show_account",
        ACCOUNT_COMMAND,
        ACCOUNT_GROUPS,
        selects=["action"],
    ),
    command(
        "verify",
        "the claims of the papers with verdicts, each reached again now",
        "--id bojkovic2024.A5",
        "verify verify_guarantees what_falls export_claims",
        VERIFY.values(),
        (SPREAD_GROUP,),
    ),
    command(
        "audit",
        "is a mechanism of the papers as private as it claims",
        "histogram-half-scale --layer blackbox",
        "audit audit_all",
        AUDIT.values(),
        (SPREAD_GROUP,),
        selects=["all"],
    ),
    command(
        "figures",
        "the figures and tables of the papers, computed again and drawn beside what is printed",
        "zhou2024-figure1a --output pictures",
        "figures",
        FIGURES.values(),
        (SPREAD_GROUP,),
        shown={},
        selects=["list"],
    ),
    command(
        "explain",
        "a theorem in all its editions, with formulas and what changed",
        "bojkovic2024.histogram",
        "explain",
        EXPLAIN.values(),
        shown=STATED,
    ),
    command("list", "every theorem, with its editions", "", "theorems", LIST.values()),
    command("cite", "how to cite a theorem, a paper or this tool", "bojkovic2024", "cite", CITE.values()),
    command(
        "completion",
        "a script with which a shell completes commands, options, choices and names of files",
        "bash",
        "",
        COMPLETION.values(),
        shown={name: SHOWN[name] for name in ("output", "force")},
        selects=COMPLETION,
    ),
    command("doctor", "versions, and a check that certified arithmetic works here", "", "doctor"),
    SERVE,
)
COMMANDS: dict[str, Command] = {declared.name: declared for declared in _TABLE}
