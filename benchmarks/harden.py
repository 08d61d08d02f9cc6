"""Attacks on releasing commands, counted: memory limits, signals, kills, races and faults of file systems.

`python -m benchmarks.harden --limits 200 --others 20 --signals 500 --kills 1000 --races 200 --faults 10` is the whole
campaign; the record says how many runs were made. A violation is a run that ended with a wrong exit code, hid what was
spent, lost what was paid for, or left half a file.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.harden_cases import ACCOUNT, COMMANDS, LONG, MARK, Ended, ended, fresh, prepare, run, start
from benchmarks.measure import RESULTS, machine

FAULTS = (
    "link:EPERM:1",
    "link:EOPNOTSUPP:3",
    "link:EIO:2",
    "replace:EIO:1",
    "replace:ENOSPC:4",
    "fsync:ENOSPC:1",
    "fsync:EIO:6",
    "open:EACCES:4",
    "open:ENOSPC:8",
    "unlink:EPERM:1",
)
MOST_AFTER_S = 2.0
_PAID = ("moments", "marginals", "table", "mst", "ssp", "gradient")
"""Commands for kills and races: a fast release of every kind."""


class Campaign:
    """The runs so far, and the violations."""

    def __init__(self, made: Path, seed: int) -> None:
        self.made, self.random = made, random.Random(seed)  # noqa: S311 - of moments, no secret
        self.violations: list[str] = []

    def wrong(self, what: str, found: Ended) -> None:
        self.violations.append(f"{what}: exit {found.code}, drawn {found.drawn}: {found.said.strip()[-200:]}")

    def limits(self, names: list[str], count: int) -> dict[str, Any]:
        """Limits of address space from 200 MB to 1.2 GB."""
        codes: Counter[str] = Counter()
        most_cpu_s, after_noise, waited = 0.0, 0, 0
        for name in names:
            for i in range(count):
                limit = 200 + (1000 * i) // max(count - 1, 1)
                with fresh(self.made) as folder:
                    found = run(COMMANDS[name].split(), folder, limit_mb=limit)
                codes[f"exit {found.code}"] += 1
                most_cpu_s = max(most_cpu_s, found.cpu_s)
                after_noise += found.drawn and found.code != 0
                waited += found.waits
                ends = found.code in (0, 7) or (found.waits and found.code == 130 and found.after_s <= MOST_AFTER_S)
                honest = found.code == 0 or (found.says_spent == found.drawn and found.lines == 1)
                if not ends or not honest:
                    self.wrong(f"{name} in {limit} MB", found)
        return {
            "runs": sum(codes.values()),
            **codes,
            "ended_by_sigterm": waited,
            "failed_after_noise": after_noise,
            "most_cpu_s": most_cpu_s,
        }

    def signals(self, count: int) -> dict[str, Any]:
        """SIGTERM while the solver runs, after the noise."""
        slowest, finished = 0.0, 0
        for i in range(count):
            with fresh(self.made) as folder:
                process = start(LONG.split(), folder)
                _until_drawn(process, folder)
                time.sleep(self.random.uniform(0, 1.5))
                began = time.monotonic()
                process.send_signal(signal.SIGTERM)
                found = ended(process, folder, began)
            finished += found.code == 0
            slowest = max(slowest, found.after_s)
            has = found.kept or found.target  # the files may be in their places when it comes
            good = found.code == 0 or (found.code == 130 and found.says_spent and has and not found.leftovers)
            if not good or found.after_s > MOST_AFTER_S:
                self.wrong(f"signal {i}, ended after {found.after_s:.2f} s", found)
        return {"runs": count, "finished_before": finished, "slowest_s": slowest}

    def kills(self, count: int) -> dict[str, Any]:
        """SIGKILL, SIGTERM or SIGINT at any moment; paid results exist or can be recovered, and are recorded once."""
        recovered = drawn = 0
        for i in range(count):
            name, number = self.random.choice(_PAID), (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)[i % 3]
            with fresh(self.made) as folder:
                process = start([*COMMANDS[name].split(), "--account", ACCOUNT], folder)
                if i % 2:
                    _until_drawn(process, folder)
                time.sleep(self.random.uniform(0, 0.2) if i % 2 else self.random.uniform(0.05, 2.0))
                process.send_signal(number)
                found = ended(process, folder)
                drawn += found.drawn
                what = f"{name} and signal {int(number)}"
                booked = found.files[ACCOUNT] != (self.made / ACCOUNT).read_bytes()
                if found.drawn and not booked:
                    self.wrong(f"{what}: noise that was not recorded", found)
                if number != signal.SIGKILL and (found.leftovers or found.code not in (0, 130, -number)):
                    self.wrong(what, found)
                if not found.kept:
                    if found.drawn and not found.target and number != signal.SIGKILL:
                        self.wrong(f"{what}: nothing kept", found)
                    continue
                file = next(n for n in found.files if n.endswith(".recovery.json"))
                again = run(["recover", file, "--force"], folder, hooked=False)
                is_half = again.code == 3 and "holds 1 of" in again.said  # the first of two that go together
                recovered += again.code == 0
                if (again.code != 0 and not is_half) or again.files[ACCOUNT] != found.files[ACCOUNT]:
                    self.wrong(f"{what}: recover", again)
        return {"runs": count, "drawn": drawn, "recovered": recovered}

    def races(self, count: int) -> dict[str, Any]:
        """Three commands at once for one reservation, and for an account that has enough for one."""
        for i in range(count):
            with fresh(self.made) as folder:
                if i % 2:
                    line = COMMANDS["gradient"]
                else:
                    line = f"{COMMANDS['marginals']} --account small.json"
                    opened = "account open small.json --name s --adjacency replace-one --epsilon 3"
                    run(opened.split(), folder, hooked=False)
                parts = [line.replace("x.json", f"x{j}.json").split() for j in range(3)]
                processes = [start(part, folder) for part in parts]
                found = [ended(process, folder) for process in processes]
                if [each.code for each in found].count(0) != 1 or any(each.code not in (0, 2, 6) for each in found):
                    self.wrong(f"race {i}: {[each.code for each in found]}", found[0])
        return {"runs": count}

    def faults(self, names: list[str], count: int) -> dict[str, Any]:
        """Failing system calls: before the noise nothing is spent, after it nothing is lost."""
        codes: Counter[str] = Counter()
        lost = 0
        for name in names:
            for fault in FAULTS[:count]:
                with fresh(self.made) as folder:
                    found = run(COMMANDS[name].split(), folder, fault=fault)
                codes[f"exit {found.code}"] += 1
                gone = found.drawn and not found.kept and not (found.target and found.code in (0, 6))
                lost += gone
                honest = found.code == 0 or found.says_spent == found.drawn or found.target
                if gone or found.code not in (0, 6) or not honest:
                    self.wrong(f"{name} with {fault}", found)
        return {"runs": sum(codes.values()), **codes, "budgets_lost": lost}


def _until_drawn(process: subprocess.Popen[bytes], folder: Path) -> None:
    while not (folder / MARK).exists() and process.poll() is None:
        time.sleep(0.002)


def campaign(counts: argparse.Namespace) -> dict[str, Any]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with TemporaryDirectory(prefix="harden-") as name:
        made = Path(name)
        prepare(made)
        attack = Campaign(made, counts.seed)
        others = [other for other in COMMANDS if other not in ("lp", "moments")]
        found: dict[str, Any] = {
            "signals_in_solvers": attack.signals(counts.signals),
            "limits_of_lp_and_moments": attack.limits(["lp", "moments"], counts.limits),
            "limits_of_others": attack.limits(others, counts.others),
            "kills": attack.kills(counts.kills),
            "races": attack.races(counts.races),
            "faults": attack.faults(list(COMMANDS), counts.faults),
        }
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    runs = sum(part["runs"] for part in found.values())
    for violation in attack.violations:
        print(violation)
    return {
        "runs": runs,
        "violations": len(attack.violations),
        "slowest_end_s": found["signals_in_solvers"]["slowest_s"],
        "budgets_lost": found["faults"]["budgets_lost"],
        "cpu_s": cpu_s,
        **found,
        "machine": machine(),
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.harden", description=__doc__)
    for name, usual, text in (
        ("limits", 40, "memory limits for lp and for moments"),
        ("others", 2, "memory limits for every other releasing command"),
        ("signals", 30, "SIGTERMs while a solver runs"),
        ("kills", 60, "signals at any moment"),
        ("races", 10, "races of three processes"),
        ("faults", len(FAULTS), "faults for every command"),
        ("seed", 1, "seed of the random moments"),
    ):
        parser.add_argument(f"--{name}", type=int, default=usual, help=f"{text} (default {usual})")
    parser.add_argument("--save", action="store_true", help="keep the result in benchmarks/results")
    options = parser.parse_args()
    text = json.dumps(campaign(options), indent=2)
    if options.save:
        (RESULTS / "harden.json").write_text(text + "\n", encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
