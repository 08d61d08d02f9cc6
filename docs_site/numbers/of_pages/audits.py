"""Audits: of subjects computed anew, of seeded bugs and of commands as recorded, and times of draws."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from benchmarks.audit_commands import SAMPLES
from docs_site.materials import BASE, FILE, WITH
from docs_site.numbers.names import run
from verify.audit.run import audit
from verify.audit.subjects import SUBJECTS

OURS = ("rounded_gaussian_3", "rounded_gaussian_1e9", "linf_1000", "geometric_1_in_10", "exponential_20")
ADJACENCIES = ("replace-one", "add-remove")


def subject(name: str) -> tuple[str, Any, Any]:
    """What is claimed, and what the audit found; both ends agree on the digits shown."""
    (found,) = (one for one in SUBJECTS if one.name == name)
    loss = audit(name).loss
    assert loss is not None
    assert loss.epsilon is not None
    (shown,) = {f"{float(end):.4f}" for end in (loss.epsilon.lo, loss.epsilon.hi)}
    return f"`{name}`", found.epsilon, int(loss.epsilon.lo) if loss.epsilon.lo.denominator == 1 else shown


def delta_of(name: str) -> float:
    loss = audit(name).loss
    assert loss is not None
    assert loss.delta is not None
    return float(loss.delta.hi)


def false_alarms(layer: str = "") -> list[int]:
    """Alarms, and audits of controls."""
    found = [value for key, value in run("audit").items() if key.startswith(f"false_alarms_{layer}")]
    return [sum(one["alarms"] for one in found), sum(one["audits"] for one in found)]


def allowed_alarms() -> float:
    (allowed,) = {one["allowed"] for key, one in run("audit").items() if key.startswith("false_alarms_")}
    return float(allowed)


def largest_correlation() -> float:
    """Of time and size, over our own samplers."""
    return max(float(abs(run("noise_timing")[name]["rank_correlation"])) for name in OURS)


def draws() -> int:
    (found,) = {run("noise_timing")[name]["draws"] for name in (*OURS, "opendp_laplace_2")}
    return int(found)


def correlation(name: str) -> float:
    return float(run("noise_timing")[f"opendp_{name}"]["rank_correlation"])


def commands() -> dict[str, dict[str, Any]]:
    """Every command under an adjacency, by its title; none has lost more than it claims."""
    found = {name: row for name, row in run("audit_commands").items() if name.endswith(ADJACENCIES)}
    assert all(row["lower"] < row["claimed"] and row["loss"] <= row["claimed"] for row in found.values())
    return found


def table_of_commands() -> list[Any]:
    rows = commands()
    names = dict.fromkeys(title.rpartition(", ")[0] for title in rows)
    found = [(f"`{name}`", [rows.get(f"{name}, {adjacency}") for adjacency in ADJACENCIES]) for name in names]
    return [(name, [(_bound(row), row["loss"], row["lower"]) for row in both if row]) for name, both in found]


def _bound(row: dict[str, Any]) -> str:
    return "|" if row["loss_is"] == "exact" else "at most"


def refuted_with_half_the_noise() -> list[int]:
    rows = commands()
    return [sum(row["lower_half_noise"] > row["claimed"] for row in rows.values()), len(rows)]


def fewer_samples() -> int:
    (fewest,) = {row["samples"] for row in commands().values()} - {SAMPLES}
    return int(fewest)


def same_law() -> list[Any]:
    """How many tests of the same law, and their least p-value."""
    tested = [row["same_law"] for row in commands().values() if "same_law" in row]
    return [len(tested), min(tested)]


def packages() -> list[int]:
    """Of the base installation, and with all extras."""
    return [len(_base()), len(_bill())]


def _bill() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))["components"]
    return found


def _base() -> list[dict[str, Any]]:
    return [one for one in _bill() if {"name": WITH, "value": BASE} in one["properties"]]


def licences() -> str:
    """By name, with how many packages have them."""
    named = (one["licenses"][0] for one in _base())
    found = Counter(one.get("expression") or one["license"]["name"] for one in named)
    return ", ".join(f"{name} ({count})" if count > 1 else name for name, count in sorted(found.items()))
