"""Lemmas of verify/formal, which Coq proves: `python -m verify.formal_proofs`, or `make formal`.

A `Lemma` proves what the ledger says of one claim; the comment in front of it begins with the claim's id. Everything is
compiled in a separate folder, and Coq is then asked what each lemma rests on: only the axioms of the real numbers in
its standard library.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent

from bounds.errors import DataError

FOLDER = Path(__file__).parent / "formal"
AXIOMS = (
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "Classical_Prop.classic",
    "FunctionalExtensionality.functional_extensionality_dep",
)
"""The axioms of Coq's real numbers and of analysis with them."""
_UNPROVED = re.compile(
    r"\b(Admitted|admit|give_up|Abort|Axioms?|Conjectures?|Parameters?|Hypothes[ie]s|Variables?|Context|bypass_check|"
    r"Declare\s+Module|Unset\s+\w+\s+Checking|type_in_type|Redirect|Load)\b"
)
_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
_LEMMA = re.compile(r"^Lemma\s+(\w+)", re.MULTILINE)
_NAMED = re.compile(r"\(\*\* (\S+): ((?:(?!\*\)).)*?)\s*\*\)\nLemma\s+(\w+)", re.DOTALL)
_USES = re.compile(r"^From Formal Require Import (.+)\.$", re.MULTILINE)
_PROBE = "From Coquelicot Require Import Coquelicot.\nFrom Interval Require Import Tactic.\n"


@dataclass(frozen=True)
class FormalLemma:
    """A lemma and what it says in words; `name` is `file.lemma`, as a claim names it."""

    name: str
    claim: str
    says: str


@dataclass(frozen=True)
class Proved:
    """What Coq has proved."""

    lemmas: tuple[FormalLemma, ...]
    by: str


def all_lemmas(folder: Path = FOLDER) -> tuple[FormalLemma, ...]:
    """Every lemma, by file, in the order of the file."""
    return tuple(lemma for path in sorted(folder.glob("*.v")) for lemma in _lemmas(path))


def _lemmas(path: Path) -> list[FormalLemma]:
    text = path.read_text(encoding="utf-8")
    word = _UNPROVED.search(_COMMENT.sub("", text))
    if word:
        raise DataError(f"{path.name}: {word.group()} has no place among proofs")
    found = [
        FormalLemma(f"{path.stem}.{name}", claim, " ".join(says.split())) for claim, says, name in _NAMED.findall(text)
    ]
    nameless = set(_LEMMA.findall(_COMMENT.sub("", text))) - {lemma.name.partition(".")[2] for lemma in found}
    if nameless:
        raise DataError(f"{path.name}: no comment names the claim of {', '.join(sorted(nameless))}")
    return found


def missing() -> str:
    """What is not installed; empty if lemmas can be checked."""
    if shutil.which("coqc") is None:
        return "coqc is not installed"
    with TemporaryDirectory() as place:
        Path(place, "probe.v").write_text(_PROBE, encoding="utf-8")
        return "" if _coqc(Path(place), "probe").returncode == 0 else "Coq's library interval is not installed"


def prove(folder: Path = FOLDER) -> Proved:
    """Have Coq check all proofs; the first that it refuses is an error, with Coq's message."""
    lemmas = all_lemmas(folder)
    with TemporaryDirectory() as name:
        place = Path(name)
        for path in folder.glob("*.v"):
            shutil.copy(path, place)
        for stem in _order(folder):
            done = _coqc(place, stem)
            if done.returncode != 0:
                raise DataError(f"{stem}.v is not proved: {_said(done.stderr)}")
        strange = _assumed(place, lemmas) - set(AXIOMS)
        if strange:
            guilty = next((x.name for x in lemmas if _assumed(place, [x]) - set(AXIOMS)), "")
            raise DataError(f"{guilty} rests on {', '.join(sorted(strange))}")
    version = _run(["coqc", "--print-version"], folder).stdout.split()[0]
    return Proved(lemmas, f"coqc {version}")


def _order(folder: Path) -> list[str]:
    """Files after those that they use."""
    used = {path.stem: _USES.findall(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.v"))}
    return list(TopologicalSorter({stem: " ".join(lines).split() for stem, lines in used.items()}).static_order())


def _assumed(place: Path, lemmas: Sequence[FormalLemma]) -> set[str]:
    """Names of the axioms that lemmas rest on, queried as one term: every query goes through the libraries."""
    files = sorted({lemma.name.partition(".")[0] for lemma in lemmas})
    term = ", ".join(f"@{lemma.name}" for lemma in lemmas)
    asked = f"From Formal Require {' '.join(files)}.\nDefinition asked := ({term}).\nPrint Assumptions asked.\n"
    (place / "asked.v").write_text(asked, encoding="utf-8")
    done = _coqc(place, "asked")
    head, _, answer = done.stdout.partition("\n")
    if done.returncode != 0 or head not in ("Axioms:", "Closed under the global context"):
        raise DataError(f"Coq does not say what the lemmas rest on: {_said(done.stderr or done.stdout)}")
    return set(re.findall(r"^(\S+)", answer, re.MULTILINE))


def _coqc(place: Path, stem: str) -> subprocess.CompletedProcess[str]:
    return _run(["coqc", "-q", "-w", "none", "-Q", ".", "Formal", f"{stem}.v"], place)


def _run(command: Sequence[str], place: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)  # noqa: S603


def _said(text: str) -> str:
    """The end of Coq's message, in one line."""
    return " ".join(dedent(text).split())[-400:]


def main(folder: Path = FOLDER) -> int:
    """Print one line: how many lemmas are proved, which one is not, or why none was checked."""
    try:
        without = missing() if all_lemmas(folder) else "the lemmas are not available"
        if without:
            sys.stdout.write(f"not run: {without}\n")
            return 0
        proved = prove(folder)
    except DataError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    axioms = ", ".join(name.rpartition(".")[2] for name in AXIOMS)
    sys.stdout.write(f"{len(proved.lemmas)} lemmas proved by {proved.by}, only from {axioms}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
