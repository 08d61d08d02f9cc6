"""One function for each command: from options to a document and its JSON twin."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

from bounds.errors import NotApplicable, ParameterError, UsageError
from bounds.parameters import PARAMETERS
from bounds.risk.parameters import RISK_PARAMETERS
from release.files.outputs import Outputs
from synthbounds.cli.command import Outcome, inputs_of

__all__ = ["COMMANDS", "Outcome", "inputs_of"]


def _setting(options: argparse.Namespace) -> dict[str, object]:
    return {name: getattr(options, name) for name in PARAMETERS if getattr(options, name) is not None}


def require_command(options: argparse.Namespace) -> Outcome:
    from bounds.sizes.require import require
    from bounds.sizes.solve_for import solve_for
    from synthbounds.render.payload import inversion_payload, requirement_payload
    from synthbounds.render.requirement import inversion_document, requirement_document

    question = {
        "measure": options.measure,
        "edition": options.edition,
        "theorem": options.theorem,
        **_setting(options),
    }
    if options.solve_for is None:
        if options.n is not None:
            raise UsageError("n is what is computed: to ask what n records allow, add --solve-for accuracy or epsilon")
        answer = require(**question)
        return Outcome(
            lambda: requirement_document(answer),
            lambda: requirement_payload(answer),
            _warnings(answer),
            inputs=inputs_of(options),
            precision=answer.precision,
        )
    if options.n is None:
        raise UsageError(f"solve-for {options.solve_for} needs --n, the records at hand")
    solved = solve_for(options.solve_for, n=options.n, **question)
    return Outcome(
        lambda: inversion_document(solved),
        lambda: inversion_payload(solved),
        _warnings(solved.requirement),
        inputs=inputs_of(options),
        precision=solved.requirement.precision,
    )


def _warnings(answer: Any) -> tuple[str, ...]:
    guarantee = answer.guarantee
    if guarantee.vacuous:
        return (f"vacuous guarantee: {guarantee.reason}",)
    if 2 * guarantee.failure_probability.lo > 1:
        return ("the promise fails more often than it holds: a failure probability of 0.05 is --failure 0.05",)
    return ()


def compare_command(options: argparse.Namespace) -> Outcome:
    from bounds.sizes.require import compare
    from synthbounds.render.payload import comparison_payload
    from synthbounds.render.requirement import comparison_document

    if options.features is not None:
        from synthbounds.cli.risk_commands import compare_risk_command

        return compare_risk_command(options)
    for name in RISK_PARAMETERS:
        if name not in PARAMETERS and getattr(options, name, None) is not None:
            raise UsageError(f"{name} is for bounds on excess risk: give --features with it")
    rows = compare(measure=options.measure, **_setting(options))
    if all(row.requirement is None for row in rows):
        reasons = [row.reason for row in rows]
        telling = next((reason for reason in reasons if "is missing" not in reason), reasons[0])
        raise NotApplicable(f"no theorem applies: {telling}")
    return Outcome(lambda: comparison_document(rows), lambda: comparison_payload(rows), inputs=inputs_of(options))


def renyi_command(options: argparse.Namespace) -> Outcome:
    from bounds.exact import parse_integer, parse_rational, require_range
    from bounds.renyi import condition_number, infinite_kappa_probability
    from lp.study.distributions import aligned, distribution
    from lp.study.perturbed_histogram import VARIANTS, simulate_kappa
    from synthbounds.render.renyi import renyi_document, renyi_payload

    if options.nu is None:
        raise UsageError("nu is missing: give the distribution of the records (--nu)")
    if options.variant not in VARIANTS:
        raise ParameterError("variant", options.variant, "one of " + ", ".join(VARIANTS))
    if options.variant != "plain" and options.simulate is None:
        raise UsageError(f"variant {options.variant} is for --simulate")
    if options.through is not None and options.mu is None:
        raise UsageError("through needs --mu: equation (10) goes from nu through it to mu")
    if options.mu is None and options.n is None:
        raise UsageError("give --mu for the condition number, or --n and --epsilon for the perturbed histogram")
    if (options.n is None) != (options.epsilon is None):
        raise UsageError("the perturbed histogram needs both --n and --epsilon")
    if options.simulate is not None and options.n is None:
        raise UsageError("simulate needs --n and --epsilon")
    table = distribution(options.nu, "nu")
    nu = table.probabilities
    report = infinite = simulation = None
    settings = ""
    if options.mu is not None:
        mu = aligned(table, distribution(options.mu, "mu"), "mu")
        through = (
            None if options.through is None else aligned(table, distribution(options.through, "through"), "through")
        )
        report = condition_number(nu, mu, through)
    if options.n is not None:
        n, epsilon = parse_integer(options.n, "n"), parse_rational(options.epsilon, "epsilon")
        require_range("n", n, options.n, least=1, most=10**15, reason="records of the perturbed histogram")
        epsilon_range = PARAMETERS["epsilon"].range
        assert epsilon_range is not None
        epsilon_range.check("epsilon", epsilon, options.epsilon)
        infinite = infinite_kappa_probability(nu, n, epsilon)
        settings = f"n = {n:,}, epsilon = {options.epsilon}, Laplace noise of scale 2/epsilon, replace-one, n public"
        if options.simulate is not None:
            runs, seed = parse_integer(options.simulate, "simulate"), parse_integer(options.seed, "seed")
            require_range("seed", seed, options.seed, least=0, below=2**64)
            simulation = simulate_kappa(nu, n=n, epsilon=epsilon, runs=runs, seed=seed, variant=options.variant)
    return Outcome(
        lambda: renyi_document(report, infinite, simulation, settings),
        lambda: renyi_payload(report, infinite, simulation),
        inputs=inputs_of(options),
    )


def approx_command(options: argparse.Namespace) -> Outcome:
    from bounds.approximation.approximate import approximate
    from bounds.approximation.approximation_certificate import require_certifiable
    from bounds.approximation.context import context
    from bounds.exact import parse_integer
    from synthbounds.certificates import checked_certificate
    from synthbounds.render.approximation import approximation_document, approximation_payload

    for name in ("function", "interval", "degree"):
        if getattr(options, name) is None:
            raise UsageError(f"{name} is missing: give --{name}")
    if options.certificate is not None:
        require_certifiable(parse_integer(options.degree, "degree"))
        if options.output is not None and os.path.realpath(options.certificate) == os.path.realpath(options.output):
            raise UsageError("certificate and output name the same file")
    answer = approximate(
        options.function,
        interval=options.interval,
        degree=options.degree,
        method=options.method,
        marginal_error=options.marginal_error,
    )
    stage = None
    if options.certificate is not None:
        proof = checked_certificate(answer).encode()

        def stage(outputs: Outputs) -> None:
            outputs.add(options.certificate, proof, name="certificate")

    known = context(answer)
    return Outcome(
        lambda: approximation_document(answer, known),
        lambda: approximation_payload(answer, known),
        stage=stage,
        inputs=inputs_of(options),
        precision=answer.precision,
    )


def explain_command(options: argparse.Namespace) -> Outcome:
    from bounds.registry import find_theorem
    from bounds.values import evaluate_value
    from synthbounds.render.statements import explain_document, explain_payload

    theorem = find_theorem(options.id)
    values = () if options.at is None else evaluate_value(theorem, _assignments(options.at))
    if values and all(v.value is None for v in values):
        raise NotApplicable(f"{theorem.id} gives no value there: {values[0].reason}")
    return Outcome(
        lambda: explain_document(theorem, values), lambda: explain_payload(theorem, values), inputs=inputs_of(options)
    )


def _assignments(text: str) -> dict[str, object]:
    pairs: dict[str, object] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise ParameterError("at", text, "NAME=VALUE pairs separated by commas, such as sigma=1,count=256")
        if name.strip() in pairs:
            raise ParameterError("at", text, "without repetition", f"{name.strip()} is given twice")
        pairs[name.strip()] = value.strip()
    return pairs


def list_command(options: argparse.Namespace) -> Outcome:
    from bounds.papers import find_paper
    from bounds.registry import all_theorems
    from synthbounds.render.statements import list_document, list_payload

    theorems = tuple(all_theorems().values())
    if options.paper is not None:
        key = find_paper(options.paper).key
        theorems = tuple(t for t in theorems if t.citation.paper == key)
    return Outcome(lambda: list_document(theorems), lambda: list_payload(theorems), inputs=inputs_of(options))


def cite_command(options: argparse.Namespace) -> Outcome:
    from bounds.papers import PAPERS, sources_of
    from bounds.registry import all_theorems
    from synthbounds.render.statements import cite_document, cite_payload, papers_for

    theorems = all_theorems()
    if options.what in PAPERS:
        papers = sources_of(options.what)
    elif options.what in theorems:
        papers = papers_for(theorems[options.what])
    else:
        raise UsageError(f"{options.what[:60]!r} is neither a theorem nor a paper: see `synthbounds list`")
    return Outcome(lambda: cite_document(papers), lambda: cite_payload(papers), inputs=inputs_of(options))


def doctor_command(options: argparse.Namespace) -> Outcome:
    from synthbounds.doctor import checks, doctor_document, doctor_payload

    results = checks()
    code = 0 if all(c.fine for c in results) else 1
    return Outcome(
        lambda: doctor_document(results), lambda: doctor_payload(results), exit_code=code, inputs=inputs_of(options)
    )


def _later(module: str, function: str) -> Callable[[argparse.Namespace], Outcome]:
    """A command that lives in a module of its own, which is imported when the command runs."""

    def run(options: argparse.Namespace) -> Outcome:
        outcome: Outcome = getattr(import_module(f"synthbounds.cli.{module}"), function)(options)
        return outcome

    return run


COMMANDS: dict[str, Callable[[argparse.Namespace], Outcome]] = {
    "require": require_command,
    "compare": compare_command,
    "risk": _later("risk_commands", "risk_command"),
    "renyi": renyi_command,
    "approx": approx_command,
    "check": _later("check_command", "check_command"),
    "schema": _later("data_commands", "schema_command"),
    "synth": _later("synth_command", "synth_command"),
    "release": _later("release_command", "release_command"),
    "train": _later("train_command", "train_command"),
    "certify": _later("certify_command", "certify_command"),
    "confirm": _later("confirm_command", "confirm_command"),
    "verify": _later("verify_command", "verify_command"),
    "audit": _later("audit_command", "audit_command"),
    "figures": _later("figures_command", "figures_command"),
    "explain": explain_command,
    "list": list_command,
    "cite": cite_command,
    "doctor": doctor_command,
}
