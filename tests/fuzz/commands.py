"""Command lines with something wrong about them: a value, an option too many or too few, another file."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from bounds.parameter import Parameter
from synthbounds.api.commands import COMMANDS
from tests.fuzz.templates import TEMPLATES

NUMBERS = (
    "0 1 2 3 -1 0.2 1/3 1/0 -0 +1 .5 5. 1e-6 1e6 1e400 1e-5000 1e999999999 1e-999999999 NaN nan inf -inf 0x10 1_0 "
    "0.30000000000000004 99999999999999999999 1e15 1,5 1.5.2 --1 1e 1e1e1 2**64"
).split()
TEXTS = (
    "",
    " ",
    "--",
    "-",
    "é",
    "١٢",
    "\u202e1",
    "\ud800",
    "a\x00b",
    "a\nb",
    "9" * 400,
    "9" * 5000,
    "x" * 5000,
    "%s",
    "{0}",
    "\\",
    "a=b=c",
    "a:b:c",
    ",",
    "~",
    "((((",
    "exp(" * 50 + "x" + ")" * 50,
    "(" * 3000 + "x" + ")" * 3000,
)
PLACES = (
    "/dev/null /dev/full /dev/zero /etc/passwd . .. / nowhere/o.json people.csv s.json people.csv/o.json ./o.json "
    "o.xlsx o.parquet o.svg o.html account.json tree.csv moments.json"
).split()
SLOW = {
    "serve": {},
    "audit": {},
    "figures": {"--all"},
    "verify": {"--all"},
    "renyi": {"--simulate"},
    "synth": {"--rounds", "--points", "--thresholds", "--k", "--m"},
    "infer": {"--simulate"},
    "plan": set(),
}
"""Commands and options whose hostile values would only take long."""
FIRST = 2
"""Words that name the command and its kind."""


def command_case(draws: random.Random, stock: Path) -> list[str]:
    """One line; it may still be fine."""
    words = list(draws.choice(TEMPLATES))
    if draws.randrange(40) == 0:
        return _noise(draws)
    for _ in range(draws.choice((1, 1, 1, 2, 3))):
        draws.choice(CHANGES)(words, draws, stock)
    return words


def _noise(draws: random.Random) -> list[str]:
    """Words that belong to nothing."""
    known = [*COMMANDS, *TEXTS, *NUMBERS, "--help", "--version", "--format", "json", "-h", "--output", "o.json"]
    words = [draws.choice(known) for _ in range(draws.randrange(6))]
    return [word for word in words if word not in SLOW] if words[:1] and words[0] in SLOW else words


def _options(words: list[str]) -> list[int]:
    """Places of options that have a value after them."""
    return [i for i in range(1, len(words) - 1) if words[i].startswith("--") and not words[i + 1].startswith("--")]


def _value(draws: random.Random, parameter: Parameter | None, stock: Path) -> str:
    """A hostile value, or a near one."""
    near = list(parameter.choices) if parameter is not None else []
    if parameter is not None and (parameter.kind == "file" or parameter.role is not None) and draws.random() < 0.7:
        return draws.choice([*PLACES, *sorted(path.name for path in stock.iterdir())])
    if near and draws.random() < 0.6:
        return draws.choice(near)
    kinds = (NUMBERS, NUMBERS, TEXTS, PLACES, ("age", "job", "owns", "insured", "all", "auto", "pairs", "degree:2"))
    return draws.choice(draws.choice(kinds))


def _declared(words: list[str]) -> dict[str, Parameter]:
    command = COMMANDS.get(words[0]) if words else None
    return {} if command is None else {parameter.option: parameter for parameter in command.parameters.values()}


def _is_slow(words: list[str], option: str) -> bool:
    return option in SLOW.get(words[0] if words else "", set())


def _other_value(words: list[str], draws: random.Random, stock: Path) -> None:
    places = [i for i in _options(words) if not _is_slow(words, words[i])]
    if places:
        i = draws.choice(places)
        words[i + 1] = _value(draws, _declared(words).get(words[i]), stock)


def _other_word(words: list[str], draws: random.Random, stock: Path) -> None:
    """A file or a name that has no option."""
    places = [i for i in range(1, min(len(words), 4)) if not words[i].startswith("--")]
    if places:
        words[draws.choice(places)] = draws.choice([*PLACES, *TEXTS, *sorted(path.name for path in stock.iterdir())])


def _one_less(words: list[str], draws: random.Random, stock: Path) -> None:
    places = _options(words)
    if places:
        i = draws.choice(places)
        if not _is_slow(words, words[i]):
            del words[i : i + draws.choice((1, 2, 2))]


def _one_more(words: list[str], draws: random.Random, stock: Path) -> None:
    """An option of the command, or of another."""
    own = _declared(words)
    every = own if draws.random() < 0.85 else {
        option: p for command in COMMANDS.values() for option, p in
        ((p.option, p) for p in command.parameters.values())
    }  # fmt: skip
    options = sorted(option for option in every if option.startswith("--") and not _is_slow(words, option))
    if not options:
        return
    option = draws.choice(options)
    words.append(option)
    if every[option].kind != "flag" or draws.random() < 0.1:
        words.append(_value(draws, every[option], stock))


def _output(words: list[str], draws: random.Random, stock: Path) -> None:
    words += draws.choice(
        (["--format", "json"], ["--format", "latex"], ["--format", "markdown"], ["--format", "x"], ["--force"],
         ["--report", "r.html"], ["--output", "out.txt"], ["--output", "o.json", "--force"], ["--seed", "5"])
    )  # fmt: skip


def _double(words: list[str], draws: random.Random, stock: Path) -> None:
    i = draws.randrange(len(words))
    words.insert(i, words[i])


CHANGES: tuple[Callable[[list[str], random.Random, Path], None], ...] = (
    *(_other_value,) * 6,
    *(_one_more,) * 4,
    _other_word,
    _other_word,
    _one_less,
    _one_less,
    _output,
    _output,
    _double,
)
