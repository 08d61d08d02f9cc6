"""What the guided way does besides commands, also in processes: a table from a schema, a look before a release."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bounds.errors import DataError, UsageError
from synthbounds.cli.run import guarded

if TYPE_CHECKING:
    from release.data.schema import Schema

FITS, GENERATED, LOOK, PROMISE = "fits", "generated", "look", "promise"
_BLOCK_ROWS = 2**16
MOST_GENERATED = 10**6


def run_step(words: list[str]) -> int:
    """The step with these words; its answer is JSON on standard output, and it fails as commands do."""
    actions: dict[str, Callable[..., int]] = {FITS: _fits, GENERATED: _generated, LOOK: _look, PROMISE: _promise}
    action = actions[words[0]]
    return guarded(lambda: action(*words[1:]))


def _say(body: dict[str, Any]) -> int:
    sys.stdout.write(json.dumps(body) + "\n")
    return 0


def _fits(table: str, schema: str, extra: str) -> int:
    """Whether every cell of the table is what the schema allows; the first that is not is named by row and column."""
    from release.data.schema import read_schema
    from release.data.source import TableSource

    found = read_schema(schema)
    source = TableSource(table, found, ignore_extra=extra == "ignore-extra", private=True)
    for _ in source.batches():
        pass
    is_public = found.is_public and not found.has_draft_note
    return _say({"fits": True, "records": source.n, "columns": len(found.columns), "is_public": is_public})


def _generated(schema: str, records: str, target: str) -> int:
    """A table of this many made-up records: every value of every column is equally likely."""
    import numpy as np

    from bounds.exact import parse_integer, require_range
    from release.data.schema import read_schema
    from release.data.writing import write_table
    from release.files.outputs import Outputs

    count = parse_integer(records, "records")
    require_range("records", count, records, least=1, most=MOST_GENERATED)
    found = read_schema(schema)
    draws = np.random.default_rng(0)
    kind = found.domain.code_type

    def blocks() -> Any:
        for start in range(0, count, _BLOCK_ROWS):
            rows = min(_BLOCK_ROWS, count - start)
            codes = np.empty((rows, len(found.columns)), dtype=kind, order="F")
            for j, size in enumerate(found.domain.sizes):
                codes[:, j] = draws.integers(0, size, rows)
            yield codes

    with Outputs() as outputs:
        write_table(outputs, target, blocks(), found, name="table")
    return _say({"records": count})


def _look(order: str) -> int:
    """All that can be found out before a release: the words of its command, its schema, its table, its account."""
    from release.data.schema import read_schema
    from release.data.source import TableSource
    from synthbounds.cli.run import all_options
    from synthbounds.render.account import account_payload

    options = all_options(json.loads(Path(order).read_text("utf-8"))["arguments"])
    if options.command == "confirm":
        schema, spends = _reserved(options)
    else:
        schema = read_schema(options.schema)
        spends = {"epsilon": options.epsilon, "dp_delta": options.dp_delta, "adjacency": options.adjacency}
    if not schema.is_public:
        raise DataError(
            "schema: was made from the data; say for every column where its values are publicly known, and set its "
            'source to "public", before a release'
        )
    if options.command != "confirm":  # whose schema is that of a release
        schema.require_releasable()
    n_is_public = spends["adjacency"] != "add-remove"
    source = TableSource(
        options.table, schema, ignore_extra=options.ignore_extra, private=True, size_is_public=n_is_public
    )
    for _ in source.batches():
        pass
    account = None
    if options.account is not None:
        from synthbounds.api.accounts import show_account

        account = account_payload(show_account(options.account), Path(options.account).name)
    found = {"spends": {**spends, "n_is_public": n_is_public}, "account": account}
    if options.command == "synth":
        from synthbounds.web.work.promising import promised_by

        found["promised"] = promised_by(options, schema, source.n if n_is_public else int(options.least_size))
    return _say(found)


def _promise(order: str, target: str) -> int:
    """What a table would promise, into a file: from its command, its schema and the public number of its records."""
    from release.data.schema import read_schema
    from synthbounds.cli.run import all_options
    from synthbounds.web.work.promising import promised_by

    asked = json.loads(Path(order).read_text("utf-8"))
    options = all_options(asked["arguments"])
    found = promised_by(options, read_schema(options.schema), int(asked["size"]))
    Path(target).write_text(json.dumps(found), "utf-8")
    return _say(found)


def _reserved(options: argparse.Namespace) -> tuple[Schema, dict[str, str | None]]:
    """What a query is paid from: what its release has reserved."""
    from release.reserving import ReservingRelease
    from synthbounds.api.releases import open_release

    release = open_release(options.release)
    if not isinstance(release, ReservingRelease):
        raise UsageError("release: has reserved nothing that could pay for a query")
    release.require_open()
    part = options.part or "1"
    return release.schema, {"part_of_reserve": part, "adjacency": release.adjacency.value}
