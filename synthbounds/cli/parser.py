"""Options of every command. Values stay text: the mathematics parses and checks them exactly."""

from __future__ import annotations

from typing import Any

from bounds.parameters import ASK, DATA, HOW, PARAMETERS
from bounds.risk.parameters import GROUPS as RISK_GROUPS
from bounds.risk.parameters import RISK_PARAMETERS
from lp.synthesis.parameters import GROUPS as SYNTH_GROUPS
from lp.synthesis.parameters import SYNTH_PARAMETERS
from synthbounds._version import __version__
from synthbounds.cli.check_command import add_check
from synthbounds.cli.command import EXIT_CODES, Parser, add_command
from synthbounds.cli.figures_options import add_figures
from synthbounds.cli.moment_options import add_certify, add_confirm, add_release, add_train
from synthbounds.cli.option_groups import add_groups

_MAY_START_WITH_MINUS = ("--interval", "--function")


def join_negative_values(arguments: list[str]) -> list[str]:
    """`--interval -5,5` as `--interval=-5,5`: argparse takes a value that starts with a minus for an option."""
    joined: list[str] = []
    for argument in arguments:
        if joined and joined[-1] in _MAY_START_WITH_MINUS and argument.startswith("-") and argument[:2] != "--":
            joined[-1] = f"{joined[-1]}={argument}"
        else:
            joined.append(argument)
    return joined


def build_parser() -> Parser:
    parser = Parser(
        prog="synthbounds",
        description="Certified sample sizes and bounds for differentially private synthetic data.",
        epilog=EXIT_CODES,
    )
    parser.add_argument("--version", action="version", version=f"synthbounds {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    _add_require(commands)
    _add_compare(commands)
    _add_risk(commands)
    _add_renyi(commands)
    _add_approx(commands)
    add_check(commands)
    _add_schema(commands)
    _add_synth(commands)
    add_release(commands, add_command)
    add_train(commands, add_command)
    add_certify(commands, add_command)
    add_confirm(commands, add_command)
    _add_verify(commands)
    _add_audit(commands)
    add_figures(commands, EXIT_CODES)
    _add_explain(commands)
    _add_list(commands)
    _add_cite(commands)
    _add_doctor(commands)
    return parser


def _add_setting(command: Any) -> None:
    add_groups(command, (ASK, DATA, HOW), PARAMETERS)


def _add_require(commands: Any) -> None:
    command = add_command(
        commands,
        "require",
        "records n, reference points m and synthetic records k that suffice",
        "synthbounds require --p 10 --degree 2 --epsilon 0.2 --accuracy 0.4 --failure 0.05",
    )
    command.add_argument("--measure", help="uniform (default), histogram, kde or custom")
    command.add_argument("--edition", default="sharp", help="printed, corrected or sharp (default)")
    command.add_argument("--theorem", metavar="ID", help="a theorem by its id, instead of --measure")
    command.add_argument(
        "--solve-for", metavar="X", help="epsilon, accuracy, failure, delta, gamma or degree; needs --n"
    )
    command.add_argument("--n", help="records at hand, for --solve-for")
    _add_setting(command)


def _add_compare(commands: Any) -> None:
    command = add_command(
        commands,
        "compare",
        "every theorem and edition that applies, side by side",
        "synthbounds compare --p 10 --degree 2 --epsilon 0.2 --accuracy 0.4 --failure 0.05",
    )
    command.add_argument("--measure", help="uniform, histogram, kde or custom (default: all that fit)")
    _add_setting(command)
    group = command.add_argument_group("excess risk instead: with --features, as for `synthbounds risk`")
    for parameter in RISK_PARAMETERS.values():
        if parameter.name not in PARAMETERS and parameter.name not in ("edition", "theorem", "log_n", "query_constant"):
            group.add_argument(parameter.option, metavar=parameter.metavar, help=parameter.help)


def _add_risk(commands: Any) -> None:
    command = add_command(
        commands,
        "risk",
        "how much worse a linear model trained on synthetic data can be than the best one",
        "synthbounds risk --features 10 --radius 1 --epsilon 1 --dp-delta 1e-6 --failure 0.01 --target 0.1",
    )
    groups = {title: command.add_argument_group(title) for title in RISK_GROUPS}
    for parameter in RISK_PARAMETERS.values():
        group = groups.get(parameter.group, groups[RISK_GROUPS[0]])
        group.add_argument(parameter.option, metavar=parameter.metavar, help=parameter.help)


def _add_renyi(commands: Any) -> None:
    command = add_command(
        commands,
        "renyi",
        "the Rényi condition number: exact, bounded, simulated",
        "synthbounds renyi --nu zipf:32 --mu uniform:32 --n 10000 --epsilon 0.2 --simulate 2000",
    )
    tables = "uniform:N, zipf:N[:S], dirichlet:N:ALPHA:SEED, or a CSV file with a weight, or label and weight, a line"
    command.add_argument("--nu", help=f"distribution of the records: {tables}")
    command.add_argument("--mu", help="reference measure, likewise")
    command.add_argument("--through", help="intermediate distribution for equation (10), likewise")
    command.add_argument("--n", help="records, for the perturbed histogram")
    command.add_argument("--epsilon", help="privacy of the perturbed histogram")
    command.add_argument("--simulate", metavar="RUNS", help="simulate the perturbed histogram")
    command.add_argument("--variant", default="plain", help="plain (default), mixed or shifted")
    command.add_argument("--seed", default="0", help="seed of the simulation (default 0)")


def _add_approx(commands: Any) -> None:
    command = add_command(
        commands,
        "approx",
        "a polynomial near a function, with certified error, coefficients and coefficient sum",
        "synthbounds approx --function logistic --interval -5,5 --degree 4 --method minimax",
    )
    command.add_argument(
        "--function",
        help="logistic, softplus, log-sigmoid, log-sigmoid-minus, exp, exponential, hinge, squared-hinge, "
        "huber[:KNEE], abs, phi-gamma:G, gamma-phi-gamma:G, or text such as 'log(1+exp(-x))'",
    )
    command.add_argument("--interval", metavar="A,B", help="ends of the interval, such as -5,5")
    command.add_argument(
        "--degree",
        help="degree of the polynomial, from 1 to 100 (minimax), 40 (optimal), 200 (chebyshev, interpolation), "
        "400 (iterated) or 1000 (bernstein)",
    )
    command.add_argument(
        "--method",
        default="minimax",
        help="minimax (default), optimal, chebyshev, interpolation, bernstein, "
        "iterated:H, iterated:inf or iterated:best",
    )
    command.add_argument("--marginal-error", metavar="S", help="s = nu/n, for the method optimal")
    command.add_argument(
        "--certificate", metavar="FILE", help="write a certificate for `synthbounds check` (degree up to 200)"
    )


def _add_schema(commands: Any) -> None:
    command = add_command(
        commands,
        "schema",
        "a draft of the public schema of a table, to be corrected by what is publicly known",
        "synthbounds schema people.csv --output people.schema.json",
    )
    command.add_argument("table", metavar="TABLE", help="a table, CSV with a header or Parquet")
    command.add_argument("--bins", metavar="B", default="10", help="bins of a column of numbers (default 10)")
    command.add_argument(
        "--most-levels", metavar="L", default="20", help="at most so many distinct values become levels (default 20)"
    )


def _add_synth(commands: Any) -> None:
    command = add_command(
        commands,
        "synth",
        "a private synthetic table with its certificate",
        "synthbounds synth people.csv --schema people.schema.json --epsilon 1 --mode release --adjacency replace-one "
        "--synthetic synthetic.csv",
    )
    command.add_argument("table", metavar="TABLE", help="a table, CSV with a header or Parquet")
    command.add_argument("--synthetic", metavar="FILE", help="where the synthetic table goes: .csv or .parquet")
    add_groups(command, SYNTH_GROUPS, SYNTH_PARAMETERS)
    command.add_argument(
        "--certificate",
        metavar="FILE",
        help="write the proof of the optimum for `synthbounds check`; it holds the noisy answers",
    )
    command.add_argument("--ignore-extra", action="store_true", help="leave out columns that are not in the schema")
    command.add_argument("--anyway", action="store_true", help="go on where nothing can be promised in advance")
    command.add_argument("--exact", action="store_true", help="solve to an exact rational vertex, gap zero")


def _add_verify(commands: Any) -> None:
    command = add_command(
        commands,
        "verify",
        "the claims of the papers with verdicts, each reached again now",
        "synthbounds verify --id bojkovic2024.A5",
    )
    command.add_argument("--paper", help="only the claims of one paper")
    command.add_argument("--id", metavar="ID", help="one claim in full, or all whose id begins with it")
    command.add_argument("--workers", metavar="W", help="processes (default: 2 where there are two processors)")
    command.add_argument(
        "--simulate", metavar="RUNS", help="run the algorithm instead: how often guarantees are missed"
    )
    command.add_argument(
        "--store", metavar="FILE", help="with --simulate: keep finished runs here, and go on from them"
    )


def _add_audit(commands: Any) -> None:
    command = add_command(
        commands,
        "audit",
        "is a mechanism of the papers as private as it claims",
        "synthbounds audit histogram-half-scale --layer blackbox",
    )
    command.add_argument("name", metavar="NAME", nargs="?", help="the subject; without it, all subjects are listed")
    command.add_argument("--epsilon", help="the privacy that is claimed (default: the subject's own)")
    command.add_argument(
        "--layer", help="exact (default): certified; ratio: densities and samples; blackbox: samples only"
    )
    command.add_argument("--samples", metavar="N", help="samples of each input, half to choose, half to test (20000)")
    command.add_argument("--seed", help="seed of the samples (default 0)")


def _add_explain(commands: Any) -> None:
    command = add_command(
        commands,
        "explain",
        "a theorem in all its editions, with formulas and what changed",
        "synthbounds explain bojkovic2024.histogram",
    )
    command.add_argument("id", metavar="ID", help="theorem id, see `synthbounds list`")
    command.add_argument(
        "--at",
        metavar="NAME=VALUE,...",
        help="numbers at which a helper statement is evaluated, such as sigma=1,count=256,gamma=0.05",
    )


def _add_list(commands: Any) -> None:
    command = add_command(commands, "list", "every theorem, with its editions")
    command.add_argument("--paper", help="only those of one paper")


def _add_cite(commands: Any) -> None:
    command = add_command(
        commands, "cite", "how to cite a theorem, a paper or this tool", "synthbounds cite bojkovic2024"
    )
    command.add_argument("what", metavar="ID", nargs="?", default="synthbounds", help="theorem id or paper key")


def _add_doctor(commands: Any) -> None:
    add_command(commands, "doctor", "versions, and a check that certified arithmetic works here")
