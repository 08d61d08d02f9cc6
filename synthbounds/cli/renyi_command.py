"""The command about Rényi condition numbers, of given measures and of the perturbed histogram."""

from __future__ import annotations

import argparse

from bounds.errors import UsageError
from synthbounds.api.measures import perturbed_histogram, renyi
from synthbounds.api.parameters import RENYI
from synthbounds.cli.outcome import Outcome, call, inputs_of, require_options


def run(options: argparse.Namespace) -> Outcome:
    from synthbounds.render.renyi import renyi_document, renyi_payload

    require_options(options, "nu")
    if RENYI["variant"].choice(options.variant) != "plain" and options.simulate is None:
        raise UsageError(f"variant {options.variant} is for --simulate")
    if options.through is not None and options.mu is None:
        raise UsageError("through needs --mu: equation (10) goes from nu through it to mu")
    if options.mu is None and options.n is None:
        raise UsageError("give --mu for the condition number, or --n and --epsilon for the perturbed histogram")
    if (options.n is None) != (options.epsilon is None):
        raise UsageError("the perturbed histogram needs both --n and --epsilon")
    if options.simulate is not None and options.n is None:
        raise UsageError("simulate needs --n and --epsilon")
    report = infinite = simulation = None
    settings = ""
    if options.mu is not None:
        report = call(renyi, options)
    if options.n is not None:
        found = call(perturbed_histogram, options)
        infinite, simulation = found.infinite, found.simulation
        settings = (
            f"n = {found.n:,}, epsilon = {options.epsilon}, Laplace noise of scale 2/epsilon, replace-one, n public"
        )
    return Outcome(
        lambda: renyi_document(report, infinite, simulation, settings),
        lambda: renyi_payload(report, infinite, simulation),
        inputs=inputs_of(options),
    )
