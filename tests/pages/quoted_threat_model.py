"""Numbers on what is promised against whom: recorded times of draws, recorded audits of commands, what is installed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from benchmarks.audit_commands import SAMPLES
from benchmarks.command_cases import DELTA
from docs_site.materials import BASE, FILE, WITH
from tests.pages.quoted import NAME, Page, exponential, recorded, thousands
from verify.audit.subject import DELTA as SMALL_DELTA

OURS = ("rounded_gaussian_3", "rounded_gaussian_1e9", "linf_1000", "geometric_1_in_10", "exponential_20")
ADJACENCIES = ("replace-one", "add-remove")


def largest_correlation() -> float:
    """Of time and size, over our own samplers."""
    measured = recorded("noise_timing")
    return max(abs(measured[name]["rank_correlation"]) for name in OURS)


def times_of_draws() -> Iterator[str]:
    """As on the page of releases."""
    measured = recorded("noise_timing")
    (draws,) = {measured[name]["draws"] for name in (*OURS, "opendp_laplace_2")}
    few, many, gaussian = (
        measured[f"opendp_{name}"]["rank_correlation"] for name in ("laplace_2", "laplace_1000", "gaussian_50")
    )
    assert largest_correlation() < 0.05 < gaussian
    yield f"In {thousands(draws)} draws each, the rank correlation of processor time and size of the noise was at most"
    yield f"at most {largest_correlation():.3f} in size"
    yield f"{few:.2f} and {many:.2f} for Laplace noise of scale 2 and 1000"
    yield f"{gaussian:.2f} for Gaussian noise of deviation 50"


def audited() -> dict[str, dict[str, Any]]:
    """Every command under an adjacency, by its title."""
    found = {name: row for name, row in recorded("audit_commands").items() if name.endswith(ADJACENCIES)}
    assert all(row["lower"] < row["claimed"] and row["loss"] <= row["claimed"] for row in found.values())
    return found


def audits_of_commands() -> Iterator[str]:
    """The table of the page of audits, and what is said about it."""
    rows = audited()
    names = list(dict.fromkeys(title.rpartition(", ")[0] for title in rows))
    for name in names:
        cells = []
        for adjacency in ADJACENCIES:
            row = rows.get(f"{name}, {adjacency}")
            loss = "" if row is None else f"{'' if row['loss_is'] == 'exact' else 'at most '}{row['loss']:.3f}"
            cells += [loss, "" if row is None else f"{row['lower']:.3f}"]
        yield f"| `{name}` | {' | '.join(cells)} |".replace("|  |", "| |").replace("|  |", "| |")
    yield f"at delta = {DELTA} (at {exponential(float(SMALL_DELTA), 0)} for `objpert`; delta = 0 for"
    yield f"is refuted at confidence {recorded('audit_commands')['confidence']} by {thousands(SAMPLES)} samples"
    yield from figures_of_audits()
    fewer = {row["samples"] for row in rows.values()} - {SAMPLES}
    (fewest,) = fewer
    yield f"`merf`: {thousands(fewest)}"
    tested = [row["same_law"] for row in rows.values() if "same_law" in row]
    yield f"Of {len(tested)} tests the least p-value is {min(tested)}"


def figures_of_audits() -> Iterator[str]:
    """As on both pages."""
    rows, bugs = audited(), recorded("audit_commands")["bugs"]
    yield f"{thousands(SAMPLES)} samples of each table"
    found = [title for title, row in rows.items() if row["lower_half_noise"] > row["claimed"]]
    yield f"With half of the noise {len(found)} of {len(rows)} are refuted"
    assert bugs["found"] == bugs["bugs"]
    yield f"all {bugs['bugs']} seeded bugs with {thousands(bugs['samples'])} samples"


def _threat_model() -> Iterator[str]:
    yield f"a rank correlation of at most {largest_correlation():.3f}"
    measured = recorded("noise_timing")
    most = max(row["rank_correlation"] for name, row in measured.items() if name.startswith("opendp"))
    yield f"tell more: up to {most:.2f}"
    yield from figures_of_audits()
    bill = json.loads(FILE.read_text(encoding="utf-8"))["components"]
    base = [one for one in bill if {"name": WITH, "value": BASE} in one["properties"]]
    yield f"The base installation has {len(base)} packages, with all extras {len(bill)}"
    licences = Counter(one["licenses"][0].get("expression") or one["licenses"][0]["license"]["name"] for one in base)
    yield ", ".join(f"{name} ({count})" if count > 1 else name for name, count in sorted(licences.items()))


THREAT_MODEL = Page(
    _threat_model,
    given={NAME: ("OpenDP, issue 2922", "issue 2911", "pull request 101", "arXiv 2207.13793")},
)
