"""Every command, declared once: what it does, its parameters, and the functions of the API that do it.

The command line, its help and the command reference are made from this table; a test checks it against the functions.
"""

from __future__ import annotations

from dataclasses import replace

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
    KIND,
    MARGINAL_PARAMETERS,
    RELEASE_PARAMETERS,
    SYNTHETIC,
    TABLE,
    VALUES,
    WORKLOAD,
)
from release.parameters import GROUPS as RELEASE_GROUPS
from synthbounds.api import CITED, REPORTED, SHOWN, STATED, Command, command, output
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
_INSTEAD = "excess risk, with --features, as in `synthbounds risk`"
_SCHEMA = replace(
    RELEASE_PARAMETERS["schema"],
    group=DATA,
    text="take columns and levels from this public schema, instead of --p and --t",
    hint="",
)
_NOT_COMPARED = (*PARAMETERS, "edition", "theorem", "log_n", "query_constant")
_ELSEWHERE = tuple(parameter.name for parameter in ELSEWHERE)
"""They stand for the table that the functions take."""
_RELEASE = (*RELEASE_PARAMETERS.values(), *MARGINAL_PARAMETERS.values(), WORKLOAD, *FLOOR_PARAMETERS.values())

_TABLE = (
    command(
        "require",
        "find how many records n, reference points m and synthetic rows k suffice",
        _SIZES,
        "require solve_for",
        (*STATEMENT.values(), *PARAMETERS.values(), _SCHEMA),
        (ASK, DATA, HOW),
        shown=STATED,
    ),
    command(
        "compare",
        "compare all theorems and editions that apply, side by side",
        _SIZES,
        "compare compare_risk",
        (
            replace(STATEMENT["measure"], default=None, otherwise="all that apply"),
            *PARAMETERS.values(),
            _SCHEMA,
            *(replace(p, group=_INSTEAD) for p in RISK_PARAMETERS.values() if p.name not in _NOT_COMPARED),
        ),
        (ASK, DATA, HOW, _INSTEAD),
        shown=STATED,
    ),
    command(
        "risk",
        "bound how much worse a linear model trained on synthetic data can be than the best one",
        "--features 10 --radius 1 --epsilon 1 --dp-delta 1e-6 --failure 0.01 --target 0.1",
        "risk query_lower_bound",
        RISK_PARAMETERS.values(),
        RISK_GROUPS,
        shown=STATED,
    ),
    command(
        "renyi",
        "compute, bound or simulate the Rényi condition number",
        "--nu zipf:32 --mu uniform:32 --n 10000 --epsilon 0.2 --simulate 2000",
        "renyi perturbed_histogram",
        RENYI.values(),
    ),
    command(
        "approx",
        "approximate a function by a polynomial with certified error, coefficients and coefficient sum",
        "--function logistic --interval -5,5 --degree 4 --method minimax",
        "approximate",
        APPROX.values(),
    ),
    CHECK,
    command(
        "schema",
        "describe the columns of a table and draft its public schema, to be corrected from public knowledge",
        "people.csv --output people.schema.json",
        "describe_table draft_schema",
        (TABLE, *ELSEWHERE, *DRAFT.values()),
        selects=_ELSEWHERE,
    ),
    command(
        "plan",
        "predict the errors of a release by method and epsilon, before anything is spent",
        "--schema people.schema.json --n 20000 --picture plan.svg",
        "plan_release",
        (*PLAN, *ELSEWHERE),
        PLAN_GROUPS,
        shown=REPORTED,
        selects=_ELSEWHERE,
    ),
    command(
        "synth",
        "make a private synthetic table and say what is certified about it",
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
        "release private moments, marginals or floors of a table, or how near a finished synthetic table is to it",
        "moments people.csv --schema people.schema.json --label income --epsilon 1 "
        "--dp-delta 1e-9 --adjacency replace-one --mode release --output release.json",
        "release_moments release_marginals release_floors release_distance release_accuracy",
        (KIND, TABLE, SYNTHETIC, *ELSEWHERE, *sorted(_RELEASE, key=lambda p: p.kind in ("flag", "list"))),
        RELEASE_GROUPS,
        shown=output("say where the release goes (--output FILE.json)", REPORTED),
        selects=["kind", *_ELSEWHERE],
    ),
    command(
        "recover",
        "finish an interrupted release from what it already paid for, without the table and without spending again",
        "release.json.recovery.json",
        "recover",
        RECOVER,
        shown=REPORTED,
    ),
    command(
        "train",
        "train a linear model on a synthetic table, made from a release alone or finished elsewhere",
        "release.json --tau 5 --output model.json",
        "train train_cross_moments train_marginals train_table correct",
        TRAIN,
        TRAINING_GROUPS,
        shown=output("say where the model goes (--output model.json)"),
    ),
    command(
        "regress",
        "fit a private linear regression to a table by any method of the papers, or to a release at no cost",
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
        "weight the rows of any finished synthetic table so that they match a release, at no cost",
        "synthetic.csv --release release.json --weights weights.csv --synthetic improved.csv",
        "improve",
        IMPROVE,
        IMPROVE_GROUPS,
    ),
    command(
        "infer",
        "infer shares, tests, components, coefficients, edges and signs from a release, at no cost",
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
        "certify how much better any other linear model can be on the real table, from the release alone",
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
        "compare a synthetic table, and learners trained on it, with the real table: never private",
        "people.csv synthetic.csv --schema people.schema.json --label income --test later.csv --picture errors.svg",
        "evaluate_table",
        (*EVALUATE, *ELSEWHERE, *SPREAD),
        (*EVALUATE_GROUPS, SPREAD_GROUP),
        shown=REPORTED,
        selects=_ELSEWHERE,
    ),
    command(
        "account",
        "open or show an account of everything spent on the same people, to which releasing commands add (--account)",
        "open patients.account.json --name patients --adjacency replace-one --epsilon 4 --dp-delta 1e-9",
        "open_account show_account",
        ACCOUNT_COMMAND,
        ACCOUNT_GROUPS,
        selects=["action"],
    ),
    command(
        "verify",
        "check the claims of the papers again and give a verdict on each",
        "--id bojkovic2024.A5",
        "verify verify_guarantees what_falls export_claims",
        VERIFY.values(),
        (SPREAD_GROUP,),
    ),
    command(
        "audit",
        "audit whether a mechanism of the papers is as private as it claims",
        "histogram-half-scale --layer blackbox",
        "audit audit_all",
        AUDIT.values(),
        (SPREAD_GROUP,),
        selects=["all"],
    ),
    command(
        "figures",
        "recompute the figures and tables of the papers and draw them next to the printed ones",
        "zhou2024-figure1a --output pictures",
        "figures",
        FIGURES.values(),
        (SPREAD_GROUP,),
        shown={},
        selects=["list"],
    ),
    command(
        "explain",
        "explain a theorem in all its editions, with formulas and what changed",
        "bojkovic2024.histogram",
        "explain",
        EXPLAIN.values(),
        shown=STATED,
    ),
    command("list", "list all theorems with their editions", "", "theorems", LIST.values()),
    command("cite", "cite a theorem, a paper or this tool", "bojkovic2024", "cite", CITE.values(), shown=CITED),
    command(
        "completion",
        "print a script that lets a shell complete commands, options, choices and file names",
        "bash",
        "",
        COMPLETION.values(),
        shown={name: SHOWN[name] for name in ("output", "force")},
        selects=COMPLETION,
    ),
    command("doctor", "show versions and check that certified arithmetic works here", "", "doctor"),
    SERVE,
)
COMMANDS: dict[str, Command] = {declared.name: declared for declared in _TABLE}
