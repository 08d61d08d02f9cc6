"""Files of ours with something wrong about them, and digests adjusted to the change."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

from release.files.digest import digest_of
from tests.fuzz.templates import TEMPLATES
from tests.verify.certificate_mutations import at, containers, leaves, put
from verify.checkers.given_features import map_digest

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2**53, 2**53 + 1, 10**30, 10**400, 0.5, 1e308, "", " ", "0", "1", "-1", "1/2"),
    *("1/0", "1e999999999", "1e-999999999", "NaN", "9" * 1300, "1/" + "7" * 1100, "٣", "a\u0000b", "\u202e", "\ud800"),
    *("age", "job", "insured", "yes", "release", "simulate", "add-remove", "replace-one", "public", "one-hot", [], {}),
    *([[]], {"": 1}, [0] * 300, [[[[[[[[]]]]]]]], "x" * 3000, {"digest": "0"}),
)
PIECES = (
    *("{", "}", "[", "]", ",", ":", '"', "0", "1", "9" * 30, "-", ".", "e9", "null", "NaN", "\\", "\\u0000", " ", "\n"),
    *("\ufeff", "\x00", "é", "/", "//", "'", '"a":1,', '"digest":"0",', "1e999999999", "[" * 3000),
)


def file_case(draws: random.Random, stock: Path) -> tuple[list[str], dict[str, bytes]]:
    """A command that works, and other bytes for one or two of the files that it reads."""
    readers = [words for words in TEMPLATES if _read(words, stock)]
    words = draws.choice(readers)
    changed = {}
    for name in draws.sample(names := _read(words, stock), min(len(names), draws.choice((1, 1, 1, 2)))):
        changed[name] = changed_file((stock / name).read_bytes(), draws, stock)
    return list(words), changed


def _read(words: tuple[str, ...], stock: Path) -> list[str]:
    made = {"o.json", "p.csv", "o.csv"}
    return [word for word in words if word not in made and word.endswith((".json", "shares.csv", "predictions.csv"))
            and (stock / word).exists()]  # fmt: skip


def changed_file(data: bytes, draws: random.Random, stock: Path) -> bytes:
    """Changed in one to three places; mostly with the digest that then is right."""
    text = data.decode()
    if not text.lstrip().startswith("{") or draws.random() < 0.2:
        return _changed_text(text, draws)
    body = json.loads(text)
    for _ in range(draws.choice((1, 1, 1, 2, 3))):
        draws.choice((_leaf, _leaf, _leaf, _near, _near, _near, _entry, _key, _other_part))(body, draws, stock)
    if draws.random() < 0.9:
        renew(body)
    written = json.dumps(body, ensure_ascii=draws.random() < 0.5)
    return written.encode("utf-8", "surrogatepass")


def renew(body: Any) -> None:
    """Digests of the file and of what it holds, innermost first, wherever they can be computed."""
    if not isinstance(body, dict):
        return
    for part in body.values():
        for inner in part if isinstance(part, list) else [part]:
            renew(inner)
    try:
        if "encodings" in body.get("feature_map", ()):
            said, schema = body["feature_map"], body["schema"]
            names = [column["name"] for column in schema["columns"] if column["name"] != said["label"]]
            said["digest"] = map_digest(schema, said, [said["encodings"][name] for name in names])
        if "digest" in body and "encodings" not in body:
            body["digest"] = digest_of(body)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        pass


def _changed_text(text: str, draws: random.Random) -> bytes:
    for _ in range(draws.choice((1, 1, 2, 4))):
        place = draws.randrange(len(text) + 1)
        text = text[:place] + draws.choice(PIECES) + text[place + draws.choice((0, 0, 1, 3)) :]
    if draws.randrange(12) == 0:
        text = text[: draws.randrange(len(text))]
    if draws.randrange(30) == 0:
        return text.encode(draws.choice(("utf-16", "utf-16-le", "latin-1")), "replace")
    return text.encode("utf-8", "surrogatepass")


def _leaf(body: Any, draws: random.Random, stock: Path) -> None:
    """Another value in the place of one."""
    places = leaves(body)
    if places:
        put(body, draws.choice(places), copy.deepcopy(draws.choice(VALUES)))


def _near(body: Any, draws: random.Random, stock: Path) -> None:
    """A number that is a little different, or a text that stands elsewhere in the file."""
    places = [place for place in leaves(body) if at(body, place) is not None]
    if not places:
        return
    place = draws.choice(places)
    value = at(body, place)
    if type(value) is int:
        found: Any = draws.choice((value + 1, value - 1, -value, value * 2, value * 10**6, 0))
    elif isinstance(value, str) and value.lstrip("-").replace("/", "", 1).replace(".", "", 1).isdigit():
        found = draws.choice((value + "0", "-" + value, value + "/3", "0" + value, value + "e5", value[:-1] or "7"))
    else:
        found = at(body, draws.choice(places))
    put(body, place, copy.deepcopy(found))


def _entry(body: Any, draws: random.Random, stock: Path) -> None:
    """An entry of a list more, less or in the place of another."""
    places = [place for place in containers(body, list) if at(body, place)]
    if not places:
        return
    listed = at(body, draws.choice(places))
    i, j = draws.randrange(len(listed)), draws.randrange(len(listed))
    way = draws.randrange(4)
    if way == 0:
        del listed[i]
    elif way == 1:
        listed.insert(i, copy.deepcopy(listed[j]))
    elif way == 2:
        listed[i], listed[j] = listed[j], listed[i]
    else:
        listed += copy.deepcopy(listed) * draws.choice((1, 40))


def _key(body: Any, draws: random.Random, stock: Path) -> None:
    """A field more, less, or of another name."""
    chosen = at(body, draws.choice(containers(body, dict)))
    if not chosen:
        return
    key = draws.choice(list(chosen))
    way = draws.randrange(3)
    if way == 0:
        del chosen[key]
    elif way == 1:
        chosen[draws.choice(("", "n", "seed", "kind", "mode", "note", "digest", "é" * 50))] = draws.choice(VALUES)
    else:
        chosen[key + draws.choice(("", " ", "s", "\u200b"))] = chosen.pop(key)


def _other_part(body: Any, draws: random.Random, stock: Path) -> None:
    """A field of another file, or the whole of it."""
    other = json.loads(draws.choice(sorted(stock.glob("*.json"))).read_text())
    key = draws.choice(list(other))
    chosen = at(body, draws.choice(containers(body, dict)))
    if key in chosen or draws.random() < 0.3:
        chosen[key] = other[key]
    elif chosen:
        chosen[draws.choice(list(chosen))] = other
