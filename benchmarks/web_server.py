"""Cost of the local page, server and engine together: start-up until it can answer, a warm answer, 100 points."""

from __future__ import annotations

import http.client
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measure import child_cpu_seconds, main, synthbounds_command

OPTIONS = {"p": "10", "degree": "2", "epsilon": "0.2", "accuracy": "0.1", "failure": "0.05"}
ANSWER = {"ask": "answer", "command": "require", "options": OPTIONS}
POINTS = 100
CURVE = {**ANSWER, "ask": "curve", "over": "epsilon", "values": [f"{0.1 + i / 100:.2f}" for i in range(POINTS)]}
RISK = {"features": "10", "radius": "1", "n": "100000", "epsilon": "1", "dp-delta": "1e-6", "failure": "0.01"}
PLAN = {"plan": True, "n": "5000", "epsilon": "1", "features": "10", "tau": "2"}
_TICKS = os.sysconf("SC_CLK_TCK")


def tree(pid: int) -> list[int]:
    """A process and all its descendants that still run."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return [pid, *(found for child in children for found in tree(int(child)))]


def cpu_s(pid: int) -> float:
    """User plus system time of a process and its descendants, by the scheduler's count if there is one."""
    return sum(_own_cpu_s(each) for each in tree(pid))


def _own_cpu_s(pid: int) -> float:
    try:
        tasks = Path(f"/proc/{pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text(encoding="ascii").split()[0]) for task in tasks) / 1e9
    except (OSError, ValueError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS


def resident_mb(pid: int) -> float:
    pages = (int(Path(f"/proc/{each}/statm").read_text(encoding="ascii").split()[1]) for each in tree(pid))
    return sum(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20


@dataclass(frozen=True)
class Page:
    """A running local page."""

    pid: int
    port: int
    token: str

    def ask(self, question: dict[str, Any]) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection.request("POST", "/api/v1/ask", json.dumps(question), headers)
        with connection.getresponse() as response:
            body = response.read()
        connection.close()
        if response.status != 200:
            raise RuntimeError(f"{response.status}: {body!r}")
        return body

    def spent(self, question: dict[str, Any], times: int = 1) -> float:
        """CPU seconds of server and engine for one answer, on average."""
        before = cpu_s(self.pid)
        for _ in range(times):
            self.ask(question)
        return (cpu_s(self.pid) - before) / times


@contextmanager
def page() -> Iterator[Page]:
    command = synthbounds_command("serve", "--no-browser")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        place, _, token = process.stdout.readline().strip().partition("/#token=")
        try:
            yield Page(process.pid, int(place.rpartition(":")[2]), token)
        finally:
            process.terminate()


def started() -> dict[str, float]:
    """CPU seconds of one start, of its first answer, and of what follows."""
    with page() as running:
        running.ask({"ask": "answer", "command": "cite", "options": {}})  # the least that shows that it can answer
        start = cpu_s(running.pid)
        first = running.spent(ANSWER)
        found = {"start_cpu_s": start, "first_require_cpu_s": first, "start_mb": resident_mb(running.pid)}
        found["answer_cpu_s"] = running.spent(ANSWER, 50)
        running.ask(CURVE)
        found["curve_100_cpu_s"] = running.spent(CURVE, 3)
        running.ask({"ask": "answer", "command": "risk", "options": RISK})
        found["risk_cpu_s"] = running.spent({"ask": "answer", "command": "risk", "options": RISK}, 3)
        found["plan_cold_cpu_s"] = running.spent({"ask": "answer", "command": "certify", "options": PLAN})
        found["plan_cpu_s"] = running.spent({"ask": "answer", "command": "certify", "options": PLAN}, 3)
        found["plan_mb"] = resident_mb(running.pid)
    return found


def run(*, quick: bool) -> dict[str, Any]:
    runs = [started() for _ in range(3 if quick else 9)]
    found = {key: statistics.median(one[key] for one in runs) for key in runs[0]}
    command = synthbounds_command("require", *(part for k, v in OPTIONS.items() for part in (f"--{k}", v)))
    alone = child_cpu_seconds(command, 3 if quick else 9)
    return {
        "start_vs_one_command": round(found["start_cpu_s"] / alone, 2),
        "commands_for_the_price_of_a_curve": round(found["curve_100_cpu_s"] / alone, 2),
        **{key: round(value, 1 if key.endswith("mb") else 4) for key, value in found.items()},
        "one_command_cpu_s": round(alone, 4),
        "points": POINTS,
        "within_target": found["start_cpu_s"] <= 0.5
        and found["answer_cpu_s"] <= 0.005
        and found["curve_100_cpu_s"] <= 0.3,
    }


if __name__ == "__main__":
    sys.exit(main("web_server", __doc__ or "", run))
