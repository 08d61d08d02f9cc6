"""What spends nothing: a draft, a check of a schema, a plan, a simulation, certificates, errors, accounts.

Each is a command, or a step of ours before it, in a folder of its own inside the private one.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from bounds.errors import UsageError
from synthbounds.web.allowed import shown
from synthbounds.web.work.child import COMMAND, STEP
from synthbounds.web.work.jobs import Job, Jobs, Order
from synthbounds.web.work.kept import ORDER, Kept
from synthbounds.web.work.made import Made
from synthbounds.web.work.options import said, words
from synthbounds.web.work.places import GENERATED_TABLE, REPORT, SCHEMA, SYNTHETIC, link, schema_text, write_schema
from synthbounds.web.work.repeating import retell
from synthbounds.web.work.steps import FITS, GENERATED, PROMISE
from synthbounds.web.work.uploads import JSON, Uploads

PUBLIC_TABLE = "table-is-public"
PROMISED = "promised.json"


class Studying:
    """What may be done as often as one likes, for one server."""

    def __init__(self, uploads: Uploads, jobs: Jobs, kept: Kept, made: Made) -> None:
        self._uploads, self._jobs, self._kept, self._made = uploads, jobs, kept, made

    def _start(
        self,
        asked: dict[str, Any],
        folder: Path,
        *stages: tuple[str, list[str]],
        **more: Any,
    ) -> Job:
        return self._jobs.start(
            Order(do=asked["do"], stages=tuple((kind, tuple(w)) for kind, w in stages), folder=folder, **more)
        )

    def draft(self, asked: dict[str, Any]) -> Job:
        table = self._uploads.named(asked.get("table"))
        said_words = words("draft", asked.get("options", {}))
        folder = self._jobs.new_folder()
        link(folder, table)
        command = ["schema", table.name, *said_words, "--output", SCHEMA, "--format", "json"]

        def with_schema(body: dict[str, Any]) -> dict[str, Any]:
            schema = json.loads((folder / SCHEMA).read_text("utf-8"))
            return {**body, "schema": schema, "data_dependent": schema.get("source") != "public"}

        return self._start(asked, folder, (COMMAND, command), adds=with_schema)

    def check_schema(self, asked: dict[str, Any]) -> Job:
        table = self._uploads.named(asked.get("table"))
        options = asked.get("options", {})
        words("simulate", options)
        folder = self._with_schema(asked)
        link(folder, table)
        extra = "ignore-extra" if options.get("ignore-extra") else "refuse"
        return self._start(asked, folder, (STEP, [FITS, table.name, SCHEMA, extra]))

    def plan(self, asked: dict[str, Any]) -> Job:
        options, synth = asked.get("options", {}), asked.get("synth")
        command = ["plan", "--schema", SCHEMA, *words("plan", options)]
        shown_with = ["--picture", "plan.svg", "--report", REPORT, "--format", "json"]
        size = None if synth is None else said(options, "least-size") or said(options, "n")
        of_table = [] if synth is None else words("table", synth)
        folder = self._with_schema(asked)
        stages = [(COMMAND, [*command, *shown_with])]
        if size is None or not size.isascii() or not size.isdigit():
            return self._start(asked, folder, *stages)
        table = ["synth", "table.csv", "--schema", SCHEMA, "--mode", "release", *of_table, "--synthetic", SYNTHETIC]
        (folder / ORDER).write_text(json.dumps({"arguments": table, "size": size}), "utf-8")

        def with_promise(body: dict[str, Any]) -> dict[str, Any]:
            return body | {"promised": json.loads((folder / PROMISED).read_text("utf-8"))}

        return self._start(asked, folder, (STEP, [PROMISE, ORDER, PROMISED]), *stages, adds=with_promise)

    def simulate(self, asked: dict[str, Any]) -> Job:
        said_words, data = words("simulate", asked.get("options", {})), asked.get("data")
        stages: list[tuple[str, list[str]]] = []
        if data == "generated":
            records = asked.get("records", "1000")
            if not isinstance(records, str) or not records.isascii() or not records.isdigit() or len(records) > 7:
                raise UsageError(f"records = {shown(records)}: must be a whole number as text, at most 1,000,000")
            folder, name = self._with_schema(asked), GENERATED_TABLE
            stages = [(STEP, [GENERATED, SCHEMA, records, name])]
        else:
            table = self._uploads.named(asked.get("table"))
            if data != PUBLIC_TABLE and not table.public:
                raise UsageError(
                    "data: a simulation protects nobody; say that the data are generated, or that the table is public "
                    f"({PUBLIC_TABLE})"
                )
            folder, name = self._with_schema(asked), table.name
            link(folder, table)
        command = ["synth", name, "--schema", SCHEMA, "--mode", "simulate", *said_words]
        stages.append((COMMAND, [*command, "--synthetic", SYNTHETIC, "--report", REPORT, "--format", "json"]))
        return self._start(asked, folder, *stages, ends=lambda job: retell(job, self._jobs, table=name))

    def certify(self, asked: dict[str, Any]) -> Job:
        model, said_words = self._uploads.named(asked.get("model")), words("certify", asked.get("options", {}))
        if model.kind != JSON:
            raise UsageError("model: must be a model file (.json), as written by `synthbounds train`")
        source = self._made.numbers_of(asked.get("release"))
        folder = self._jobs.new_folder()
        link(folder, model)
        os.symlink(source.resolve(), folder / source.name)
        command = ["certify", source.name, model.name, *said_words, "--report", REPORT, "--format", "json"]
        return self._start(asked, folder, (COMMAND, command))

    def evaluate(self, asked: dict[str, Any]) -> Job:
        """For two tables that are public, or only for the eyes of their holder: errors and scores are not private."""
        real, said_words = self._uploads.named(asked.get("real")), words("evaluate", asked.get("options", {}))
        other = asked.get("synthetic")
        test = None if asked.get("test") is None else self._uploads.named(asked["test"])
        made = self._made.file(other) if isinstance(other, dict) else None
        upload = None if made is not None else self._uploads.named(other)
        folder = self._with_schema(asked)
        link(folder, real)
        if upload is not None:
            name = link(folder, upload)
        else:
            assert made is not None
            name = SYNTHETIC
            os.symlink(made.resolve(), folder / name)
        command = ["evaluate", real.name, name, "--schema", SCHEMA, *said_words]
        if test is not None:
            command += ["--test", link(folder, test)]
        more = ["--picture", "errors.svg", "--report", REPORT, "--format", "json"]
        return self._start(asked, folder, (COMMAND, [*command, *more]))

    def account(self, asked: dict[str, Any]) -> Job:
        action, place = asked.get("action", "show"), self._kept.account(asked.get("name"))
        said_words = words("account", asked.get("options", {}))
        if action not in ("open", "show"):
            raise UsageError(f"action = {shown(action)}: must be open or show")
        if action == "open":
            self._kept.folder.mkdir(parents=True, exist_ok=True)
        else:
            self._kept.existing_account(asked.get("name"))
        folder = self._jobs.new_folder()
        os.symlink(place.resolve(), folder / place.name)
        command = ["account", action, place.name, *said_words, "--format", "json"]
        return self._start(asked, folder, (COMMAND, command))

    def _with_schema(self, asked: dict[str, Any]) -> Path:
        """The folder of the next job, with the schema in it."""
        schema_text(asked.get("schema"))  # refused before anything is made
        folder = self._jobs.new_folder()
        write_schema(folder, asked.get("schema"))
        return folder
