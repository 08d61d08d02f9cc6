"""Performance, from the recorded results of the benchmarks: the numbers that matter most first, then everything."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

from docs_site.text import plain, table

HEADLINES = (
    ("lp", "p7_ratio_vs_paper", "times less CPU time than the paper's own formulation (p = 7), with a certificate"),
    ("lp", "p8_ratio_vs_collapsed_pulp", "times less than that formulation without duplicate points (p = 8)"),
    ("lp", "p20_cpu_s", "CPU seconds for the hardest of three programmes with about a million points (p = 20)"),
    ("lp", "p26_cpu_s", "CPU seconds for the hardest of three with 67 million points (p = 26)"),
    ("lp", "p26_rss_mb", "MB of memory for the largest of those"),
    ("approximation", "softplus20_cpu_s", "CPU seconds for a certified minimax polynomial of degree 20"),
    ("approximation", "ratio_to_sollya", "times the CPU time that Sollya takes for one without a certificate"),
    (
        "pgm",
        "adult_ratio_vs_mbi_process",
        "times less CPU time than mbi for an estimate of the same log, certified",
    ),
    ("pgm", "adult_aim_cpu_s", "CPU seconds for all of AIM on Adult, from the shell to the rows"),
    ("marginals", "ratio_vs_bincount", "times faster than numpy.bincount on all pairs of 15 attributes, 10^7 records"),
    ("sweep", "points_per_s", "settings per second when a formula is swept"),
    ("startup", "require_cpu_s", "CPU seconds from the shell to an answer of `require`"),
    ("startup", "require_vs_numpy_import", "times the import of numpy"),
    ("ledger", "claims", "claims in the ledger"),
    ("ledger", "wall_s", "seconds to check them all"),
    ("audit", "found", "seeded privacy bugs found by the audits"),
    ("audit", "bugs", "seeded in all"),
)


def performance_page(benchmarks: Path) -> str:
    """The page, from benchmarks/results and the first lines of each benchmark."""
    results = {
        path.stem: json.loads(path.read_text("utf-8")) for path in sorted((benchmarks / "results").glob("*.json"))
    }
    rows = [(_number(results[name][key]), plain(text), f"[{name}](#{name})") for name, key, text in HEADLINES]
    parts = [
        "# Performance",
        "All numbers are recorded measurements. `python -m benchmarks.NAME --save` repeats a benchmark. "
        "Competitors get the same question in the same run; times are CPU time, not wall time, unless a name says so.",
        "![CPU time compared with that of common tools](figures/times-faster.svg)",
        table(("number", "meaning", "benchmark"), rows, frozenset({0})),
    ]
    for name, result in results.items():
        parts.append(_section(name, result, (benchmarks / f"{name}.py").read_text("utf-8")))
    return "\n\n".join(parts) + "\n"


def _section(name: str, result: dict[str, Any], source: str) -> str:
    parts = [f"## {name}", plain(ast.get_docstring(ast.parse(source)) or "")]
    machine = result.get("machine")
    values = {key: value for key, value in result.items() if not isinstance(value, dict)}
    if values:
        parts.append(table(("name", "value"), [(f"`{k}`", _number(v)) for k, v in values.items()], frozenset({1})))
    groups: dict[tuple[str, ...], list[tuple[str, dict[str, Any]]]] = {}
    for key, value in _flat(result):
        groups.setdefault(tuple(value), []).append((key, value))
    for columns, members in groups.items():
        rows = [(f"`{key}`", *(_number(value[column]) for column in columns)) for key, value in members]
        head = ("", *(plain(column.replace("_", " ")) for column in columns))
        parts.append(table(head, rows, frozenset(range(1, len(head)))))
    if machine:
        parts.append(f"Python {machine['python']}, {machine['machine']}, {machine['cores']} cores.")
    return "\n\n".join(parts)


def _flat(result: dict[str, Any], prefix: str = "") -> list[tuple[str, dict[str, Any]]]:
    """Dictionaries of values at any depth, by their path, each without the dictionaries inside it."""
    found = []
    for key, value in result.items():
        if not isinstance(value, dict) or key == "machine":
            continue
        here = {k: v for k, v in value.items() if not isinstance(v, dict)}
        if here:
            found.append((prefix + key, here))
        found += _flat(value, f"{prefix}{key}, ")
    return found


def _number(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return ", ".join(_number(part) for part in value)
    return plain(str(value))
