"""Everything that the guided way may be asked, as methods: from what a page says to orders for jobs.

No name of a file comes from a request: uploads, jobs, releases and accounts are looked up under names that were given
here, and files of a job among those that it made.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bounds.errors import SynthboundsError, UsageError
from release.files.outputs import Outputs
from release.spent import SPENT
from synthbounds.web.allowed import shown
from synthbounds.web.retold import Retold, notebook, script, tidied
from synthbounds.web.work.child import COMMAND, STEP
from synthbounds.web.work.demos import DEMOS, demo_schema, demo_table
from synthbounds.web.work.jobs import Job, Jobs, Order
from synthbounds.web.work.kept import ORDER, Claim, Kept, files_in, may_be_spent, recovery_of, running_in, write_outcome
from synthbounds.web.work.options import said, words
from synthbounds.web.work.private_folder import PrivateFolder
from synthbounds.web.work.steps import FITS, GENERATED, LOOK
from synthbounds.web.work.tickets import Tickets
from synthbounds.web.work.uploads import JSON, Upload, Uploads

SCHEMA, SYNTHETIC, REPORT = "schema.json", "synthetic.csv", "report.html"
SCRIPT, NOTEBOOK = "repeat.sh", "repeat.ipynb"
GENERATED_TABLE = "generated.csv"
PUBLIC_TABLE = "table-is-public"
TABLE = "TABLE"
KINDS = {
    "table": (("synth", TABLE), ("--synthetic", SYNTHETIC)),
    "moments": (("release", "moments", TABLE), ("--output", "release.json")),
    "marginals": (("release", "marginals", TABLE), ("--output", "release.json")),
    "floors": (("release", "floors", TABLE), ("--output", "release.json")),
}
"""What may be released: how the command begins, and where it goes."""
_FIELDS = {
    "draft": {"table", "options"},
    "check-schema": {"table", "schema", "options"},
    "plan": {"schema", "options"},
    "simulate": {"table", "schema", "data", "records", "options"},
    "prepare": {"table", "schema", "kind", "account", "again", "options"},
    "release": {"ticket"},
    "certify": {"release", "model", "options"},
    "evaluate": {"real", "synthetic", "test", "schema", "options"},
    "account": {"name", "action", "options"},
    "recover": {"release"},
}


class Conflict(UsageError):
    """What is asked for was done already."""


class Desk:
    """The state of the guided way, for one person."""

    def __init__(self, private: PrivateFolder, kept: Kept, *, most_upload: int, demo: bool) -> None:
        self.most_upload, self.has_demos = most_upload, demo
        self.kept = kept
        self.uploads = Uploads(private.folder("uploads"), most_upload)
        self.jobs = Jobs(private.folder("jobs"))
        self._tickets = Tickets(private.folder("tickets"))
        self._page: dict[str, Any] = {}
        kept.settle()

    def demo(self, name: object) -> Upload:
        """An example table, as an upload."""
        if not self.has_demos:
            raise UsageError("there are no examples: start with --demo")
        if not isinstance(name, str) or name not in DEMOS:
            raise UsageError(f"name = {shown(name)}: must be one of {', '.join(DEMOS)}")
        return self.uploads.copy(demo_table(name), schema=demo_schema(name))

    def work(self, asked: dict[str, Any]) -> Job:
        """The job that does what is asked."""
        do = asked.get("do")
        if not isinstance(do, str) or do not in _FIELDS:
            raise UsageError(f"do = {shown(do)}: must be one of {', '.join(_FIELDS)}")
        for name in asked.keys() - {"do"} - _FIELDS[do]:
            raise UsageError(f"{shown(name)}: {do} has the fields {', '.join(sorted(_FIELDS[do]))}")
        makers: dict[str, Callable[[dict[str, Any]], Job]] = {
            "draft": self._draft,
            "check-schema": self._check_schema,
            "plan": self._plan,
            "simulate": self._simulate,
            "prepare": self._prepare,
            "release": self._release,
            "certify": self._certify,
            "evaluate": self._evaluate,
            "account": self._account,
            "recover": self._recover,
        }
        return makers[do](asked)

    def job(self, asked: dict[str, Any]) -> Job:
        found = self.jobs.find(asked.get("job"))
        if found is None:
            raise UsageError("there is no such job: it may be one of an earlier start")
        return found

    def file(self, asked: dict[str, Any]) -> Path:
        """A file of a job or of a release, among those that are shown."""
        name = asked.get("name")
        if "release" in asked:
            place = self.kept.place(asked["release"])
            names = [one["name"] for one in files_in(place)]
        else:
            job = self.job(asked)
            place, names = job.order.folder, [one["name"] for one in job.files()]
        if name not in names:
            raise UsageError("there is no such file")
        return place / str(name)

    def state(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Everything that a page must know after it was loaded again."""
        keep = asked.get("keep")
        if keep is not None:
            if not isinstance(keep, dict):
                raise UsageError(f"keep = {shown(keep)}: must be an object")
            self._page = keep
        if "forget" in asked:
            self.uploads.forget(asked["forget"])
        return {
            "uploads": [upload.to_json() for upload in self.uploads],
            "jobs": [job.message(whole=False) for job in self.jobs],
            "releases": self.kept.releases(),
            "accounts": self.kept.accounts(),
            "folder": self.kept.folder.name,
            "most_upload": self.most_upload,
            "demos": list(DEMOS) if self.has_demos else [],
            "page": self._page,
        }

    # What each step does.

    def _start(
        self,
        asked: dict[str, Any],
        folder: Path,
        *stages: tuple[str, list[str]],
        **more: Any,
    ) -> Job:
        return self.jobs.start(
            Order(do=asked["do"], stages=tuple((kind, tuple(w)) for kind, w in stages), folder=folder, **more)
        )

    def _draft(self, asked: dict[str, Any]) -> Job:
        table = self.uploads.named(asked.get("table"))
        said_words = words("draft", asked.get("options", {}))
        folder = self.jobs.new_folder()
        _link(folder, table)
        command = ["schema", table.name, *said_words, "--output", SCHEMA, "--format", "json"]

        def with_schema(body: dict[str, Any]) -> dict[str, Any]:
            schema = json.loads((folder / SCHEMA).read_text("utf-8"))
            return {**body, "schema": schema, "data_dependent": schema.get("source") != "public"}

        return self._start(asked, folder, (COMMAND, command), adds=with_schema)

    def _check_schema(self, asked: dict[str, Any]) -> Job:
        table = self.uploads.named(asked.get("table"))
        options = asked.get("options", {})
        words("simulate", options)
        folder = self._with_schema(asked)
        _link(folder, table)
        extra = "ignore-extra" if options.get("ignore-extra") else "refuse"
        return self._start(asked, folder, (STEP, [FITS, table.name, SCHEMA, extra]))

    def _plan(self, asked: dict[str, Any]) -> Job:
        command = ["plan", "--schema", SCHEMA, *words("plan", asked.get("options", {}))]
        folder = self._with_schema(asked)
        return self._start(
            asked, folder, (COMMAND, [*command, "--picture", "plan.svg", "--report", REPORT, "--format", "json"])
        )

    def _simulate(self, asked: dict[str, Any]) -> Job:
        said_words, data = words("simulate", asked.get("options", {})), asked.get("data")
        stages: list[tuple[str, list[str]]] = []
        if data == "generated":
            records = asked.get("records", "1000")
            if not isinstance(records, str) or not records.isascii() or not records.isdigit() or len(records) > 7:
                raise UsageError(f"records = {shown(records)}: must be a whole number as text, at most 1,000,000")
            folder, name = self._with_schema(asked), GENERATED_TABLE
            stages = [(STEP, [GENERATED, SCHEMA, records, name])]
        else:
            table = self.uploads.named(asked.get("table"))
            if data != PUBLIC_TABLE and not table.public:
                raise UsageError(
                    "data: a simulation protects nobody; say that it is generated, or that the table is public "
                    f"({PUBLIC_TABLE})"
                )
            folder, name = self._with_schema(asked), table.name
            _link(folder, table)
        command = ["synth", name, "--schema", SCHEMA, "--mode", "simulate", *said_words]
        stages.append((COMMAND, [*command, "--synthetic", SYNTHETIC, "--report", REPORT, "--format", "json"]))
        return self._start(asked, folder, *stages, ends=lambda job: self._retell(job, name))

    def _prepare(self, asked: dict[str, Any]) -> Job:
        """A look at all that can be known before; the ticket is drawn when it ends well."""
        table, kind = self.uploads.named(asked.get("table")), asked.get("kind", "table")
        if kind not in KINDS:
            raise UsageError(f"kind = {shown(kind)}: must be one of {', '.join(KINDS)}")
        options, account = asked.get("options", {}), asked.get("account")
        said_words = words(kind, options)
        if said(options, "adjacency") is None:
            raise UsageError("adjacency is missing: a release says replace-one (n is public) or add-remove")
        if not isinstance(asked.get("again", False), bool):
            raise UsageError(f"again = {shown(asked['again'])}: must be true or false")
        place = None if account is None else self.kept.account(account)
        if place is not None and not place.exists():
            raise UsageError("account: there is no such account; open it first")
        begins, ends = KINDS[kind]
        command = [table.name if word == TABLE else word for word in begins]
        command += ["--schema", SCHEMA, "--mode", "release", *said_words, *ends, "--report", REPORT, "--format", "json"]
        looked = command if place is None else [*command, "--account", str(place.resolve())]
        command = command if place is None else [*command, "--account", f"../{place.name}"]
        folder = self._with_schema(asked)
        _link(folder, table)
        (folder / ORDER).write_text(json.dumps({"arguments": looked}), "utf-8")
        schema = (folder / SCHEMA).read_text("utf-8")
        prepared = {"arguments": command, "schema": schema, "table": table.id, "kind": kind}

        def with_ticket(body: dict[str, Any]) -> dict[str, Any]:
            digest = self.kept.digest(table.digest, _plain(schema), kind, sorted(options.items()))
            same = self.kept.made(digest)
            again = bool(asked.get("again"))
            warnings = []
            if same:
                warnings.append(f"this very release was made already: {', '.join(same)}; to make it again spends again")
            ticket = None
            if not same or again:
                ticket = self._tickets.draw({**prepared, "digest": digest, "number": len(same) + 1})
            return body | {
                "ticket": ticket,
                "account_name": account,
                "command": shlex.join(["synthbounds", *command]),
                "arguments": command,
                "warnings": warnings,
                "same": same,
                "again": again,
            }

        return self._start(asked, folder, (STEP, [LOOK, ORDER]), adds=with_ticket)

    def _release(self, asked: dict[str, Any]) -> Job:
        """Once for a ticket, and once for what it is of."""
        ticket = asked.get("ticket")
        prepared = self._tickets.use(ticket)
        if prepared is None:
            found = self.jobs.find(self._tickets.job(str(ticket)))
            if found is None:
                raise UsageError("ticket: was used; what became of it is among the releases")
            return found
        table = self.uploads.named(prepared["table"])
        self.jobs.new_folder()
        claim = self.kept.claim(prepared["digest"], prepared["number"])
        folder = self.kept.folder / claim.release
        command = prepared["arguments"]
        _link(folder, table)
        (folder / SCHEMA).write_text(prepared["schema"], "utf-8")
        order = Order(
            do="release",
            stages=((COMMAND, tuple(command)),),
            folder=folder,
            kept=True,
            held=claim.held,
            ends=lambda job: self._settle(job, claim, folder / table.name),
        )
        with os.fdopen(os.dup(claim.held), "w", encoding="utf-8") as stream:
            json.dump({"command": order.command, "arguments": command}, stream, indent=1)
        job = self.jobs.start(order)
        self._tickets.started(str(ticket), job.id)
        return job

    def _settle(self, job: Job, claim: Claim, link: Path) -> None:
        """What a release leaves: its outcome, or, where nothing was spent, nothing."""
        link.unlink(missing_ok=True)
        place = job.order.folder
        job.spent = job.exit_code == 0 or job.spent or may_be_spent(place)
        if not job.spent:
            self.kept.give_back(claim)
            return
        if job.exit_code != 0 and SPENT not in (job.error or ""):
            job.error = f"{job.error} ({SPENT})"
        self._retell(job, link.name)
        write_outcome(place, exit_code=job.exit_code or 0, spent=True, told=job.error or "")

    def _retell(self, job: Job, table: str) -> None:
        """Beside what was made, the same again as a script and as a notebook; the last plan for it comes first."""
        if job.exit_code != 0:
            return
        place = job.order.folder
        schema = (place / SCHEMA).read_text("utf-8")
        plans = [other.order for other in self.jobs if other.order.do == "plan" and other.exit_code == 0]
        same = [plan for plan in plans if (plan.folder / SCHEMA).read_text("utf-8") == schema]
        commands = [*(tidied(plan.arguments, report="plan.html") for plan in same[-1:]), tidied(job.order.arguments)]
        told = Retold(commands=commands, table=table, schema=SCHEMA, schema_text=schema)
        with (
            contextlib.suppress(SynthboundsError, OSError),
            Outputs() as outputs,
        ):  # what was made is there all the same
            outputs.add(place / SCRIPT, script(told).encode())
            outputs.add(place / NOTEBOOK, notebook(told).encode())

    def _certify(self, asked: dict[str, Any]) -> Job:
        model, said_words = self.uploads.named(asked.get("model")), words("certify", asked.get("options", {}))
        if model.kind != JSON:
            raise UsageError("model: must be a file of a model (.json), as `synthbounds train` writes it")
        source = self._numbers_of(asked.get("release"))
        folder = self.jobs.new_folder()
        _link(folder, model)
        os.symlink(source.resolve(), folder / source.name)
        command = ["certify", source.name, model.name, *said_words, "--report", REPORT, "--format", "json"]
        return self._start(asked, folder, (COMMAND, command))

    def _numbers_of(self, name: object) -> Path:
        """The file with the noisy numbers of a release, or of a simulation by the number of its job."""
        job = self.jobs.find(name)
        place = job.order.folder if job is not None else self.kept.place(name)
        for pattern in ("release.json", "*.release.json", "*.log.json"):
            for path in place.glob(pattern):
                return path
        raise UsageError("release: keeps no noisy numbers from which a model can be certified; choose another method")

    def _evaluate(self, asked: dict[str, Any]) -> Job:
        """Of two tables that are public, or to the eyes of their holder alone: errors and scores are not private."""
        real, said_words = self.uploads.named(asked.get("real")), words("evaluate", asked.get("options", {}))
        other = asked.get("synthetic")
        test = None if asked.get("test") is None else self.uploads.named(asked["test"])
        made = self.file(other) if isinstance(other, dict) else None
        upload = None if made is not None else self.uploads.named(other)
        folder = self._with_schema(asked)
        _link(folder, real)
        if upload is not None:
            name = _link(folder, upload, beside=real.name)
        else:
            assert made is not None
            name = SYNTHETIC
            os.symlink(made.resolve(), folder / name)
        command = ["evaluate", real.name, name, "--schema", SCHEMA, *said_words]
        if test is not None:
            command += ["--test", _link(folder, test, beside=f"{real.name} {name}")]
        more = ["--picture", "errors.svg", "--report", REPORT, "--format", "json"]
        return self._start(asked, folder, (COMMAND, [*command, *more]))

    def _account(self, asked: dict[str, Any]) -> Job:
        action, place = asked.get("action", "show"), self.kept.account(asked.get("name"))
        said_words = words("account", asked.get("options", {}))
        if action not in ("open", "show"):
            raise UsageError(f"action = {shown(action)}: must be open or show")
        if action == "open":
            self.kept.folder.mkdir(parents=True, exist_ok=True)
        elif not place.exists():
            raise UsageError("account: there is no such account; open it first")
        folder = self.jobs.new_folder()
        os.symlink(place.resolve(), folder / place.name)
        command = ["account", action, place.name, *said_words, "--format", "json"]
        return self._start(asked, folder, (COMMAND, command))

    def _recover(self, asked: dict[str, Any]) -> Job:
        """Finish a release in its own folder."""
        place = self.kept.place(asked.get("release"))
        name = recovery_of(place)
        with running_in(place) as is_running:
            if is_running:
                raise UsageError("release: is being made; stop it, or wait")
        if name is None:
            raise UsageError("release: left nothing that could be recovered")
        self.jobs.new_folder()

        def settle(job: Job) -> None:
            if job.exit_code == 0:
                write_outcome(place, exit_code=0, spent=True, told="")
            job.spent = True

        return self._start(asked, place, (COMMAND, ["recover", name, "--format", "json"]), kept=True, ends=settle)

    def _with_schema(self, asked: dict[str, Any]) -> Path:
        """The folder of the next job, with the schema in it."""
        schema = asked.get("schema")
        if not isinstance(schema, dict):
            raise UsageError(f"schema = {shown(schema)}: must be the object of a schema")
        folder = self.jobs.new_folder()
        (folder / SCHEMA).write_text(json.dumps(schema, indent=1, ensure_ascii=False), "utf-8")
        return folder


def _link(folder: Path, upload: Upload, *, beside: str = "") -> str:
    """The upload under its own name, where a command runs; another name where that one is taken."""
    name = upload.name if upload.name not in beside.split() else f"other-{upload.name}"
    os.symlink(upload.path, folder / name)
    return name


def _plain(schema: str) -> str:
    """The same for the same schema, however it is laid out."""
    return hashlib.sha256(json.dumps(json.loads(schema), sort_keys=True).encode()).hexdigest()
