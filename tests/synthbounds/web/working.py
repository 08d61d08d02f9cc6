"""A person at the guided way: a server with folders of its own, and what a page sends it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jsonschema import Draft202012Validator

from synthbounds.schemas import json_schema
from synthbounds.web.guard import API
from tests.paths import ROOT
from tests.synthbounds.web.serving import AS_USERS_DO, Served, received, served

EXAMPLES = ROOT / "docs/examples"
SURVEY = EXAMPLES / "survey.csv"
SURVEY_SCHEMA: dict[str, Any] = json.loads((EXAMPLES / "survey.schema.json").read_text("utf-8"))
RELEASE = {"epsilon": "1", "adjacency": "replace-one", "method": "independent"}


@cache
def jobs_schema() -> Draft202012Validator:
    return Draft202012Validator(json_schema("guided-job"))


@dataclass(frozen=True)
class Person:
    """Asks one server."""

    server: Served
    releases: Path
    temporary: Path

    def post(self, name: str, body: bytes | dict[str, Any], **headers: str) -> tuple[int, bytes]:
        """The status and the body of the answer."""
        kind = "application/octet-stream" if name == "upload" else "application/json"
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        head = self.server.head(len(data), at=f"{API}{name}", **{"content_type": kind, **headers})
        status, _, answer = self.server.send(head + data)
        return status, answer

    def say(self, what: str, /, **body: Any) -> dict[str, Any]:
        """What is said, where it is fine."""
        status, answer = self.post(what, body)
        found: dict[str, Any] = json.loads(answer)
        assert (status, found["exit_code"]) == (200, 0), found
        return found

    def refused(self, what: str, /, **body: Any) -> str:
        """Why it is refused."""
        status, answer = self.post(what, body)
        assert 400 <= status < 500, (status, answer)
        error = json.loads(answer)["error"]
        assert error, answer
        assert "\n" not in error
        return str(error)

    def upload(self, data: bytes, name: str) -> dict[str, Any]:
        status, answer = self.post("upload", data, x_name=quote(name))
        assert status == 200, answer
        return dict(json.loads(answer))

    def events(self, job: str) -> Iterator[dict[str, Any]]:
        """All that is said of a job until its end."""
        _, answer = self.post("job", {"job": job})
        for line in answer.decode().splitlines():
            if line.startswith("data: "):
                yield json.loads(line.removeprefix("data: "))

    def heard(self, job: str) -> Iterator[dict[str, Any]]:
        """The same, one by one as it is said."""
        body = json.dumps({"job": job}).encode()
        with self.server.connect() as connection:
            connection.sendall(self.server.head(len(body), at=f"{API}job") + body)
            with connection.makefile("rb") as stream:
                for line in stream:
                    if line.startswith(b"data: "):
                        message: dict[str, Any] = json.loads(line.removeprefix(b"data: "))
                        yield message
                        if message["last"]:
                            return

    def end_of(self, job: str) -> dict[str, Any]:
        *before, last = self.events(job)
        for message in (*before, last):
            jobs_schema().validate(message)
        assert last["last"]
        assert not any(message["last"] for message in before)
        return last

    def do(self, do: str, /, **fields: Any) -> dict[str, Any]:
        """The last message of the job."""
        return self.end_of(self.say("work", do=do, **fields)["job"])

    def done(self, do: str, /, **fields: Any) -> dict[str, Any]:
        """The same, where it went well."""
        last = self.do(do, **fields)
        assert (last["state"], last["exit_code"]) == ("done", 0), last
        return last

    def file(self, **asked: Any) -> bytes:
        status, answer = self.post("file", asked)
        assert status == 200, answer
        return answer

    def prepared(self, table: str, **fields: Any) -> dict[str, Any]:
        """What is shown before a release of the survey."""
        said = {"schema": SURVEY_SCHEMA, "options": RELEASE, **fields}
        return dict(self.done("prepare", table=table, **said)["body"])

    @property
    def private(self) -> list[Path]:
        return sorted(self.temporary.glob("synthbounds-private-*"))


@contextmanager
def person(folder: Path, *how: str, program: tuple[str, ...] = AS_USERS_DO, **environment: str) -> Iterator[Person]:
    """At a server whose private folder and whose releases lie in this folder."""
    temporary, releases = folder / "temporary", folder / "releases"
    temporary.mkdir(exist_ok=True)
    places = {"TMPDIR": str(temporary), "PYTHONPATH": os.pathsep.join([str(ROOT), environment.pop("PYTHONPATH", "")])}
    with served(*program, "--folder", str(releases), *how, **places, **environment) as server:
        yield Person(server, releases, temporary)


__all__ = ["RELEASE", "SURVEY", "SURVEY_SCHEMA", "Person", "person", "received"]
