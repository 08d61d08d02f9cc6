"""Requests of the guided way with something wrong about them."""

from __future__ import annotations

import json
import random
from typing import Any

from synthbounds.web.work.options import options_of, steps
from tests.paths import ROOT
from tests.synthbounds.web.fuzz import NAMES, anything

SCHEMA: dict[str, Any] = json.loads((ROOT / "docs/examples/survey.schema.json").read_text("utf-8"))
FIELDS = (
    "do table schema options data records kind account again release model predictions ticket real synthetic test name "
    "action job keep forget most"
).split()
DOES = "draft check-schema plan simulate prepare release certify evaluate account recover".split()
GIVEN = ("t1", "t2", "t3", "t4", "j1", "release-1", "people", "table", "query", "generated", "table-is-public", "open")
BAD = (
    "--output",
    "--report=x",
    "-x",
    "--account",
    "../../x",
    "a\x00b",
    "",
    " ",
    "release-1/..",
    "schema.json",
    "$(id)",
)
FILES = "schema synthetic output report account log redraw impossible release certificate".split()


def sound(draws: random.Random) -> dict[str, Any]:
    """A request with nothing wrong about it."""
    do = draws.choice(DOES)
    options = {"epsilon": "1", "adjacency": "replace-one"}
    found: dict[str, dict[str, Any]] = {
        "draft": {"table": "t1", "options": {"bins": "4"}},
        "check-schema": {"table": "t1", "schema": SCHEMA},
        "plan": {"schema": SCHEMA, "options": {"n": "100"}},
        "simulate": {"schema": SCHEMA, "data": "generated", "options": {"epsilon": "1", "labels": ["sex", "smoker"]}},
        "prepare": {"table": "t1", "schema": SCHEMA, "options": options, "account": "people", "again": True},
        "release": {"ticket": "x"},
        "certify": {"release": "release-1", "model": "t3", "options": {"tau": "1"}},
        "evaluate": {"real": "t1", "synthetic": "t2", "schema": SCHEMA},
        "account": {"name": "people", "action": "show"},
        "recover": {"release": "release-1"},
    }
    if do == "prepare" and draws.randrange(2):
        query = {"kind": "query", "release": "release-1", "predictions": ["t1", "t2"], "model": "t3"}
        return {"do": do, "table": "t1", **query, "options": {"model-from": "public"}}
    return {"do": do, **found[do]}


def spoilt(draws: random.Random, asked: dict[str, Any]) -> dict[str, Any]:
    """The same with something wrong about it."""
    asked = json.loads(json.dumps(asked))
    options = asked.get("options")
    for _ in range(draws.randrange(3)):
        value = draws.choice((draws.choice(GIVEN), draws.choice(BAD), draws.choice(NAMES), anything(draws)))
        wrong = draws.randrange(6)
        if wrong < 2 and isinstance(options, dict):
            known = [name for step in steps() for name in options_of(step)]
            options[
                draws.choice((draws.choice(known), draws.choice(FILES), draws.choice(FILES), draws.choice(BAD)))
            ] = draws.choice((value, [value, value], True, "1"))
        elif wrong == 2 and isinstance(options, dict) and options:
            options[draws.choice(list(options))] = draws.choice((value, [value]))
        elif wrong == 3:
            asked.pop(draws.choice(list(asked)))
        else:
            asked[draws.choice(FIELDS)] = draws.choice((value, draws.choice(DOES)))
        if not asked:
            break
    return asked
