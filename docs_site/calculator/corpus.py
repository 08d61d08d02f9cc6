"""The regression corpus, asked again in the Python of the built page: every number must be the same there."""

from __future__ import annotations

import json
import subprocess
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from docs_site.pages import ROOT

_SCRIPT = Path(__file__).with_name("corpus.mjs")
_PROCESSES = 2


@dataclass(frozen=True)
class CorpusRun:
    """Processes that share the questions; they run while other work is done."""

    processes: tuple[subprocess.Popen[str], ...]

    def problems(self) -> tuple[int, list[str]]:
        """How many questions were asked, and what is wrong."""
        asked, wrong = 0, []
        with ExitStack() as open_ones:
            for process in self.processes:
                open_ones.enter_context(process)
                said, failure = process.communicate()
                if process.returncode:
                    wrong.append(f"the corpus did not end: {(failure.strip().splitlines() or ['no reason given'])[-1]}")
                    continue
                found = json.loads(said)
                asked += found["asked"]
                wrong += [f"other numbers in the page: {label}" for label in found["different"]]
                wrong += [f"not asked in the page: {label}" for label in found["unasked"]]
        return asked, sorted(set(wrong))


def start_corpus(page: Path, tests: Path = ROOT / "tests") -> CorpusRun:
    """Begin; `page` is a built folder, `tests` contains corpus.py and corpus.json."""
    command = ["node", str(_SCRIPT), str(page), str(tests)]
    return CorpusRun(tuple(_begun([*command, str(share), str(_PROCESSES)]) for share in range(_PROCESSES)))


def _begun(command: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
