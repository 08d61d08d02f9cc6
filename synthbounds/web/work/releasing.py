"""From a look at what will be spent to a release, once: prepare draws a ticket, release uses it.

What is prepared is the exact command; its names of files are those in the folder of the release to come. There the
uploads are links for as long as the command runs.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bounds.errors import UsageError
from release.spent import SPENT
from synthbounds.web.allowed import shown
from synthbounds.web.work.child import COMMAND, STEP
from synthbounds.web.work.jobs import Job, Jobs, Order
from synthbounds.web.work.kept import ORDER, Claim, Kept, booked_in, hold, may_be_spent, recovery_of, write_outcome
from synthbounds.web.work.options import said, words
from synthbounds.web.work.places import REPORT, SCHEMA, SYNTHETIC, link, write_schema
from synthbounds.web.work.release_facts import now
from synthbounds.web.work.repeating import retell
from synthbounds.web.work.steps import LOOK
from synthbounds.web.work.tickets import Tickets
from synthbounds.web.work.uploads import Uploads

KINDS = {
    "table": (("synth",), ("--synthetic", SYNTHETIC)),
    "moments": (("release", "moments"), ("--output", "release.json")),
    "marginals": (("release", "marginals"), ("--output", "release.json")),
    "floors": (("release", "floors"), ("--output", "release.json")),
    "query": (("confirm",), ("--output", "query.json")),
}
"""What may be released: how the command begins, and where its result goes."""
PAYING = "release.json"


class Releasing:
    """What spends, for one server."""

    def __init__(self, uploads: Uploads, jobs: Jobs, tickets: Tickets, kept: Kept) -> None:
        self._uploads, self._jobs, self._tickets, self._kept = uploads, jobs, tickets, kept

    def prepare(self, asked: dict[str, Any]) -> Job:
        """A look at all that can be known before; the ticket is drawn when it ends well."""
        table, kind = self._uploads.named(asked.get("table")), asked.get("kind", "table")
        if not isinstance(kind, str) or kind not in KINDS:
            raise UsageError(f"kind = {shown(kind)}: must be one of {', '.join(KINDS)}")
        options, again = asked.get("options", {}), asked.get("again", False)
        said_words = words(kind, options)
        if not isinstance(again, bool):
            raise UsageError(f"again = {shown(again)}: must be true or false")
        is_query = kind == "query"
        if not is_query and said(options, "adjacency") is None:
            raise UsageError("adjacency is missing: a release says replace-one (n is public) or add-remove")
        account = None if asked.get("account") is None else self._kept.existing_account(asked["account"])
        paying = self._kept.place(asked.get("release")) / PAYING if is_query else None
        models = [self._uploads.named(asked["model"])] if is_query and asked.get("model") is not None else []
        given = asked.get("predictions", []) if is_query else []
        if not isinstance(given, list):
            raise UsageError(f"predictions = {shown(given)}: must be a list of uploads")
        files = [table, *models, *(self._uploads.named(one) for one in given)]

        folder = self._jobs.new_folder()
        names = [link(folder, upload) for upload in files]
        first, model, predictions = names[0], names[1 : 1 + len(models)], names[1 + len(models) :]

        def command(of: dict[str, str]) -> list[str]:
            begins, ends = KINDS[kind]
            found = [*begins, first]
            found += [of[PAYING], *model] if is_query else ["--schema", SCHEMA, "--mode", "release"]
            found += ["--predictions", *predictions] if predictions else []
            found += [*said_words, *ends, "--report", REPORT, "--format", "json"]
            return found if account is None else [*found, "--account", of["account"]]

        outside = {} if paying is None else {PAYING: paying}
        outside |= {} if account is None else {"account": account}
        shown_words = command({name: os.path.relpath(path, self._kept.folder / "x") for name, path in outside.items()})
        looked = command({name: str(path.resolve()) for name, path in outside.items()})
        schema = None if is_query else write_schema(folder, asked.get("schema"))
        (folder / ORDER).write_text(json.dumps({"arguments": looked}), "utf-8")
        prepared = {"arguments": shown_words, "schema": schema, "uploads": [upload.id for upload in files]}
        prepared["account"] = None if account is None else account.name
        facts = [kind, [upload.digest for upload in files], _plain(schema), sorted(options.items()), str(paying)]

        def with_ticket(body: dict[str, Any]) -> dict[str, Any]:
            self._kept.settle()
            digest = self._kept.digest(facts)
            same = self._kept.made(digest)
            more = {"digest": digest, "number": len(same) + 1}
            warning = f"exactly this release was made already: {', '.join(same)}; making it again spends again"
            return body | {
                "ticket": self._tickets.draw(prepared | more) if again or not same else None,
                "account_name": asked.get("account"),
                "command": shlex.join(["synthbounds", *shown_words]),
                "arguments": shown_words,
                "warnings": [warning] if same else [],
                "same": same,
                "again": again,
            }

        stages = ((STEP, (LOOK, ORDER)),)
        return self._jobs.start(Order(do="prepare", stages=stages, folder=folder, adds=with_ticket))

    def release(self, asked: dict[str, Any]) -> Job:
        """Once for a ticket, and once for what it is made from."""
        ticket = asked.get("ticket")
        prepared = self._tickets.use(ticket)
        if prepared is None:
            found = self._jobs.find(self._tickets.job(str(ticket)))
            if found is None:
                raise UsageError("ticket: was used; what became of it is among the releases")
            return found
        uploads = [self._uploads.named(one) for one in prepared["uploads"]]
        self._jobs.new_folder()
        claim = self._kept.claim(prepared["digest"], prepared["number"])
        folder = self._kept.folder / claim.release
        links = [folder / link(folder, upload) for upload in uploads]
        if prepared["schema"] is not None:
            (folder / SCHEMA).write_text(prepared["schema"], "utf-8")
        order = Order(
            do="release",
            stages=((COMMAND, tuple(prepared["arguments"])),),
            folder=folder,
            kept=True,
            held=claim.held,
            ends=lambda job: self._settle(job, claim, links),
        )
        with os.fdopen(os.dup(claim.held), "w", encoding="utf-8") as stream:
            said = {"command": order.command, "arguments": prepared["arguments"], "account": prepared["account"]}
            said["begun"] = now()
            json.dump(said | {"booked": booked_in(self._kept.of_account(prepared["account"]))}, stream, indent=1)
        job = self._jobs.start(order)
        self._tickets.started(str(ticket), job.id)
        return job

    def _settle(self, job: Job, claim: Claim, links: Sequence[Path]) -> None:
        """What a release leaves: its outcome or, if nothing was spent, nothing."""
        for one in links:
            one.unlink(missing_ok=True)
        place = job.order.folder
        job.spent = job.exit_code == 0 or job.spent or may_be_spent(place)
        if not job.spent:
            self._kept.give_back(claim)
            return
        if job.exit_code != 0 and SPENT not in (job.error or ""):
            job.error = f"{job.error} ({SPENT})"
        retell(job, self._jobs, table=links[0].name)
        self._kept.keep(claim, exit_code=job.exit_code or 0, told=job.error or "")

    def recover(self, asked: dict[str, Any]) -> Job:
        """Finish a release in its own folder."""
        place = self._kept.place(asked.get("release"))
        name = recovery_of(place)
        if name is None:
            raise UsageError("release: left nothing that could be recovered")
        self._jobs.new_folder()
        held = hold(place)
        if held is None:
            raise UsageError("release: is being made; stop it, or wait")

        def settle(job: Job) -> None:
            job.spent = True
            if job.exit_code == 0:
                write_outcome(place, exit_code=0, told="")

        stages = ((COMMAND, ("recover", name, "--format", "json")),)
        return self._jobs.start(Order(do="recover", stages=stages, folder=place, kept=True, held=held, ends=settle))


def _plain(schema: str | None) -> str:
    """The same for the same schema, however it is laid out."""
    text = "" if schema is None else json.dumps(json.loads(schema), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
