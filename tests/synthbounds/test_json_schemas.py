"""The schemas in the package: fresh, valid, strict, and true of every recorded and every new output and file."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import synthbounds
from bounds.approximation.approximation_certificate import digest
from bounds.errors import ParameterError, SynthboundsError
from bounds.registry import all_theorems
from bounds.sizes.requirement import HypothesisResult
from mechanisms.models.model import parse_model
from release.data.schema import parse_schema
from release.files.digest import digest_of
from release.gradient.read import parse_query
from release.marginals.read import parse_marginals, read_marginals
from release.moments.file import MomentRelease
from release.moments.read import parse_release, read_release
from release.statistics.features import FeatureMap, build_feature_map
from synthbounds.api.proofs import check_text
from synthbounds.cli import main
from synthbounds.schemas import FOLDER, VERSION, json_schema, schema_names
from synthbounds.schemas.__main__ import texts
from tests.paths import PROJECT, ROOT
from tests.recorded.running import groups, stored

RECORDED = ROOT / "tests" / "recorded"
V1 = RECORDED / "files_v1"
EXAMPLES = ROOT / "docs" / "examples"
FILES = sorted([*V1.glob("*.json"), *EXAMPLES.glob("*.json")])
OUTPUT = "output-"
INPUTS = ("people.csv", "tables.json.recovery.json")
LEAST_REJECTED = 0.95
FILE_KINDS = {name for name in schema_names() if not name.startswith(OUTPUT)}


@cache
def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(json_schema(name))


def of(body: dict[str, Any]) -> list[str]:
    """The schemas by which a body is valid."""
    return [name for name in candidates(body) if validator(name).is_valid(body)]


def candidates(body: dict[str, Any]) -> list[str]:
    """Schemas of outputs of its command; those of all files, if it is one."""
    said = body.get("command")
    return [name for name in schema_names() if said == command_of(name)]


@cache
def command_of(name: str) -> str | None:
    found: str | None = json_schema(name).get("properties", {}).get("command", {}).get("const")
    return found


def why(body: dict[str, Any]) -> str:
    """Why it is valid by none."""
    errors = [(name, error) for name in candidates(body) for error in validator(name).iter_errors(body)]
    return "\n".join(f"{name} {list(error.absolute_path)}: {error.message[:300]}" for name, error in errors)


# the schemas themselves


def test_the_files_are_those_of_the_declaration() -> None:
    """Otherwise run `python -m synthbounds.schemas`; so no enum can drift from the code that it is taken from."""
    assert {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()} == texts()


@pytest.mark.parametrize("name", schema_names())
def test_a_schema_is_valid_named_and_closed(name: str) -> None:
    schema = json_schema(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:synthbounds:schema:{name}:{VERSION}"
    assert schema["title"]
    assert schema["description"].endswith(".")
    for part in _parts(schema):
        if part.get("type") == "object":
            assert "additionalProperties" in part
            assert part["additionalProperties"] is False or "properties" not in part
        if "pattern" in part:
            assert re.fullmatch(r"\^\(\?:.*\)\$", part["pattern"])
            assert "(?P" not in part["pattern"]  # not known to other languages
    assert all(name in schema["$defs"] for name in re.findall(r'"#/\$defs/(\w+)"', json.dumps(schema)))


def _parts(schema: object) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
    for item in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from _parts(item)


def test_choices_that_the_code_has_no_name_for() -> None:
    measures = set(json_schema("output-require")["properties"]["measure"]["enum"])
    assert {theorem.measure for theorem in all_theorems().values() if theorem.measure} <= measures
    kinds = json_schema("output-require")["$defs"]["hypotheses"]["items"]["properties"]["kind"]["enum"]
    written = "".join(path.read_text("utf-8") for path in (ROOT / "bounds").rglob("*.py"))
    said = re.findall(r'HypothesisResult\([^,]+, "(\w+)"(?: if holds is None else "(\w+)")?', written)
    assert {kind for pair in said for kind in pair if kind} == set(kinds)
    assert "kind" in HypothesisResult.__dataclass_fields__


def test_the_door_and_the_wheel() -> None:
    assert PROJECT["tool"]["setuptools"]["package-data"]["synthbounds.schemas"] == [f"{VERSION}/*.json"]
    assert synthbounds.schema_names() == schema_names()
    assert synthbounds.json_schema("model") == json_schema("model")
    with pytest.raises(ParameterError, match="output-require"):
        json_schema("../1/model")
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    listed = re.findall(r"`([a-z-]+)`", page.partition("## Schemas")[2])
    assert set(schema_names()) <= set(listed)


def test_nothing_of_ours_needs_a_validator() -> None:
    code = "import sys, synthbounds; synthbounds.json_schema('model'); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"jsonschema", "numpy", "flint", "synthbounds.schemas.parts"} & set(loaded)


# what was recorded


@cache
def recorded() -> tuple[tuple[str, tuple[str, ...], str], ...]:
    """Every JSON output of a recorded command, and every JSON file that one wrote and that is kept whole.

    Each with the command and the schemas by which it is valid.
    """
    found = []
    for group, commands in groups().items():
        for command, block in zip(commands, stored(group), strict=True):
            asks = "--format json" in command.line
            for head, body in re.findall(r"(?m)^(said:|wrote \S+\.json:)\n((?: .*\n)+)", block):
                if head == "said:" and not asks:
                    continue
                text = re.sub(r"(?m)^ ", "", body).replace("<version>", "0.1.0").replace("<fingerprint>", "0" * 16)
                text = text.replace("<seconds>", "0.5")
                if any(key in text for key in ('"command"', '"certificate"', '"synthbounds_')):  # not data of a figure
                    found.append((command.line, tuple(of(json.loads(text))), text))
    return tuple(found)


def test_every_recorded_output_is_valid_by_one_schema() -> None:
    wrong = [f"{line}\n{names}\n{why(json.loads(text))}" for line, names, text in recorded() if len(names) != 1]
    assert not wrong, "\n".join(wrong[:3])
    asked = sum("--format json" in command.line for commands in groups().values() for command in commands)
    counts = Counter(names[0] for _, names, _ in recorded())
    assert sum(n for name, n in counts.items() if name.startswith(OUTPUT)) >= 0.95 * asked
    assert set(schema_names()) - FILE_KINDS - set(counts) <= NOT_RECORDED


NOT_RECORDED = {"output-train-query", "output-verify-simulate", "output-verify-export"}
"""The last because its digest changes with every word of a claim."""
KINDS = {
    "schema": "schema",
    "moments": "release-moments",
    "marginals": "release-marginals",
    "query": "query",
    "model": "model",
    "approximation": "certificate-approximation",
    "density": "certificate-density",
    "certificate": "certificate-model",
}


def kind_of(path: Path) -> str:
    return KINDS[path.name.split(".")[-2]]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_file_is_valid_by_its_schema_alone(path: Path) -> None:
    assert of(json.loads(path.read_text(encoding="utf-8"))) == [kind_of(path)]


# what is said now

QUICK = {
    "output-require": "require --p 5 --degree 2 --epsilon 0.2 --delta 0.05 --gamma 0.05",
    "output-solve-for": "require --p 5 --degree 2 --delta 0.05 --gamma 0.05 --n 5000 --solve-for epsilon",
    "output-compare": "compare --p 5 --degree 2 --epsilon 0.2 --delta 0.05 --gamma 0.05",
    "output-compare-risk": "compare --features 5 --radius 1 --marginals 2 --marginal-error 0.001",
    "output-risk": "risk --features 5 --radius 1 --marginals 2 --marginal-error 0.001",
    "output-risk-lower": "risk --theorem zhou2024.lower",
    "output-renyi": "renyi --nu uniform:4 --mu uniform:4",
    "output-approx": "approx --function hinge --interval -2,2 --degree 3",
    "output-explain": "explain bojkovic2024.uniform",
    "output-list": "list",
    "output-cite": "cite",
    "output-schema": "schema people.csv --output people.draft.json",
    "output-check": "check groups.certificate.json --release plain.moments.json --model trained.model.json",
    "schema": "schema people.csv",
    "output-synth-table": "synth people.csv --schema people.schema.json --epsilon 2 --dp-delta 1e-6 --mode simulate "
    "--synthetic y.csv",
    "output-synth-log": "synth people.csv --schema people.schema.json --epsilon 2 --dp-delta 1e-6 --method tree "
    "--label insured --distance 1/10 --mode simulate --synthetic z.csv",
    "output-synth": "synth people.csv --schema people.schema.json --epsilon 2 --mode simulate --synthetic x.csv",
    "output-release-moments": "release moments survey.csv --schema survey.schema.json --label insured --epsilon 1 "
    "--linear all --dp-delta 1e-6 --mode simulate --reserve 1/4 --output m.json",
    "output-release-marginals": "release marginals people.csv --schema people.schema.json --epsilon 4 --mode simulate "
    "--output t.json",
    "output-release-distance": "release distance survey.csv survey.csv --schema survey.schema.json --label insured "
    "--linear all --epsilon 1 --mode simulate --output d.json",
    "output-release-accuracy": "release accuracy people.csv people.csv --schema people.schema.json --workload pairs "
    "--epsilon 1 --dp-delta 1e-6 --adjacency add-remove --least-size 900 --mode simulate --output a.json",
    "output-regress": "regress plain.moments.json --tau 2 --output regressed.json",
    "output-improve": "improve people.csv --release t.json --weights v.csv --synthetic i.csv",
    "output-infer": "infer m.json --pca 1",
    "output-infer-plan": "infer --plan --pca 1 --schema survey.schema.json --n 4000 --epsilon 1 --dp-delta 1e-6",
    "output-train": "train plain.moments.json --tau 2 --points 500 --synthetic s.csv --k 20 --output w.json",
    "output-train-query": "train open.moments.json --query open.query.json --points 500 --output q.json",
    "output-train-cross-moments": "train y.release.json --label insured --points 500 --output z.json",
    "output-train-public": "train people.csv --schema people.schema.json --label insured --output u.json",
    "output-certify-cross-moments": "certify y.release.json people.model.json --label insured",
    "output-certify": "certify simulated.moments.json survey.model.json",
    "output-certify-marginals": "certify gaussian.marginals.json people.model.json --label insured",
    "output-certify-distance": "certify d.json survey.model.json",
    "output-certify-log": "certify z.log.json u.json --label insured",
    "output-certify-plan": "certify --plan --n 50000 --epsilon 1 --features 4 --tau 2",
    "output-plan": "plan --schema people.schema.json --n 1000 --label insured --error 0.01 --of two-way",
    "output-evaluate": "evaluate people.csv people.csv --schema people.schema.json --label insured --held-out 1/2",
    "output-release-floors": "release floors survey.csv --schema survey.schema.json --label insured --epsilon 1 "
    "--linear all --dp-delta 1e-6 --mode simulate --reserve 1/2 --tau 1 5 --output f.json",
    "output-confirm": "confirm survey.csv m.json survey.model.json --ask gradient --anyway --output c.json",
    "output-confirm-excess": "confirm survey.csv f.json survey.model.json --ask excess --part 1/2 --output e.json",
    "output-certify-excess": "certify f.json survey.model.json --query e.json --certificate s.json",
    "output-confirm-predictions": "confirm survey.csv f.json --predictions flat.csv --loss log --model-from public "
    "--previous e.json --output p.json",
    "output-certify-predictions": "certify f.json --query p.json",
    "output-recover": "recover tables.json.recovery.json",
    "output-account": "account open account.json --name people --adjacency replace-one --epsilon 1 --dp-delta 1e-6",
    "output-verify": "verify --id bojkovic2024.A5 --workers 1",
    "output-verify-simulate": "verify --simulate 1",
    "output-verify-falls": "verify --falls bojkovic2024.C.noise-scale",
    "output-verify-export": "verify --export ledger.json",
    "output-audit": "audit algorithm-1",
    "output-audit-all": "audit histogram --all",
    "output-audit-list": "audit",
    "output-figures": "figures bojkovic2024-table1 --output pictures",
    "output-figures-list": "figures --list",
    "output-doctor": "doctor",
}
WRITTEN = {
    "m.json": "release-moments",
    "t.json": "release-marginals",
    "y.release.json": "release-cross-moments",
    "z.log.json": "release-marginal-log",
    "d.json": "release-distance",
    "a.json": "release-accuracy",
    "w.json": "model",
    "q.json": "model",
    "c.json": "query",
    "f.json": "release-floors",
    "e.json": "query-scores",
    "p.json": "query-scores",
    "s.json": "certificate-scores",
    "account.json": "account",
    "ledger.json": "claims",
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the files, with the tables they are about."""
    for source in (*V1.iterdir(), *EXAMPLES.glob("survey.*"), *(RECORDED / "inputs" / name for name in INPUTS)):
        shutil.copy(source, tmp_path)
    rows = (tmp_path / "survey.csv").read_text(encoding="utf-8").count("\n") - 1
    (tmp_path / "flat.csv").write_text("p\n" + "0.5\n" * rows, encoding="utf-8")
    (tmp_path / "low.csv").write_text("p\n" + "0.3\n" * rows, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.usefixtures("place")
def test_what_every_command_says_now_is_valid(capsys: pytest.CaptureFixture[str]) -> None:
    for name, line in QUICK.items():
        code = main([*line.split(), "--format", "json"])
        told = capsys.readouterr()
        assert told.out, f"{line}: exit {code}: {told.err}"
        body = json.loads(told.out)
        assert of(body) == [name], f"{line}\n{why(body)}"
    assert set(QUICK) >= set(schema_names()) - FILE_KINDS
    for file, name in WRITTEN.items():
        assert of(json.loads(Path(file).read_text(encoding="utf-8"))) == [name], file


KEPT = {
    "moments": "release moments survey.csv --schema survey.schema.json --label insured --epsilon 1 --dp-delta 1e-6 "
    "--mode release --adjacency replace-one --output x.json",
    "marginals": "release marginals people.csv --schema people.schema.json --epsilon 4 --mode release --adjacency "
    "add-remove --least-size 1000 --output x.json",
    "cross-moments": "synth people.csv --schema people.schema.json --epsilon 2 --dp-delta 1e-6 --mode release "
    "--adjacency replace-one --synthetic x.csv",
    "distance": "release distance survey.csv survey.csv --schema survey.schema.json --label insured --epsilon 1 "
    "--mode release --adjacency replace-one --output x.json",
    "accuracy": "release accuracy people.csv people.csv --schema people.schema.json --workload pairs --epsilon 1 "
    "--dp-delta 1e-6 --mode release --adjacency add-remove --least-size 1000 --output x.json",
    "gradient": "confirm survey.csv open.moments.json first.model.json --ask gradient --anyway --output x.json",
    "scores": "confirm survey.csv open.moments.json first.model.json --ask excess --anyway --output x.json",
    "scores of the best": "confirm survey.csv open.moments.json --predictions flat.csv low.csv --loss log "
    "--model-from public --output x.json",
    "floors": "release floors survey.csv --schema survey.schema.json --label insured --epsilon 1 --dp-delta 1e-6 "
    "--mode release --adjacency add-remove --least-size 3000 --tau 1 5 --output x.json",
    "objective perturbation": "regress survey.csv --schema survey.schema.json --label insured --epsilon 4 "
    "--dp-delta 1e-6 --mode release --adjacency add-remove --least-size 3000 --method objpert --output x.json",
    "least eigenvalue": "regress survey.csv --schema survey.schema.json --label insured --epsilon 4 "
    "--dp-delta 1e-6 --mode release --adjacency add-remove --least-size 3000 --method adassp --output x.json",
    "marginal-log": "synth people.csv --schema people.schema.json --epsilon 2 --dp-delta 1e-6 --mode release "
    "--adjacency replace-one --method mst --synthetic x.csv",
    "answers": "synth people.csv --schema people.schema.json --epsilon 2 --mode release --adjacency replace-one "
    "--synthetic x.csv",
}


@pytest.mark.parametrize("kind", KEPT)
def test_recovery_files_are_valid(kind: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("release.spending.release_is_placed", interrupted)
    before = set(place.glob("*.recovery.json"))
    assert main(KEPT[kind].split()) == 70
    (kept,) = set(place.glob("*.recovery.json")) - before
    body = json.loads(kept.read_text(encoding="utf-8"))
    assert of(body) == ["recovery"], why(body)
    assert kind.startswith(body["header"]["kind"])


# mutations

Place = tuple[str | int, ...]


def places(body: Any, path: Place = ()) -> Iterator[Place]:
    """Every place, but of a list only the first three."""
    yield path
    items = body.items() if isinstance(body, dict) else enumerate(body[:3]) if isinstance(body, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def at(body: Any, path: Place) -> Any:
    for key in path:
        body = body[key]
    return body


OTHER_TYPES: dict[type, tuple[Any, ...]] = {
    str: (7, True, [], {}),
    int: ("x", True, [], {}, 0.5),
    float: ("x", True, [], {}),
    bool: (0, "true", [], {}),
    list: ("x", 7, {}, True),
    dict: ("x", 7, [], True),
    type(None): (7.5, [], {}, True),
}


def broken(body: dict[str, Any], rng: random.Random) -> tuple[str, dict[str, Any]]:
    """A copy with a value of a wrong type, a key too many or a key too few, and which."""
    found = json.loads(json.dumps(body))
    spots = list(places(found))
    how = rng.choice(("type", "extra", "missing"))
    if how == "type":
        *above, key = rng.choice(spots[1:])
        parent = at(found, tuple(above))
        parent[key] = rng.choice(OTHER_TYPES[type(parent[key])])
        return f"type of {[*above, key]}", found
    path = rng.choice([path for path in spots if isinstance(at(found, path), dict) and at(found, path)])
    target = at(found, path)
    key = rng.choice(sorted(target)) if how == "missing" else "unheard_of"
    if how == "missing":
        del target[key]
    else:
        target[key] = rng.choice((1, "x", None))
    return f"{how} {[*path, key]}", found


def rewritten(body: dict[str, Any], rng: random.Random) -> tuple[str, dict[str, Any]]:
    """A copy in which something stands in another way, which a reader may take or not."""
    found = json.loads(json.dumps(body))
    *above, key = rng.choice([path for path in places(found) if path and not isinstance(at(found, path), dict | list)])
    parent = at(found, tuple(above))
    value = parent[key]
    ways: list[Any] = [None, str(value), f" {value} ", f"+{value}", f"{value}.0", f"{value}e0", "0.5", "1/2", 2, 0.25]
    if isinstance(value, str) and re.fullmatch(r"-?[0-9.]+", value):
        ways += [float(value)] * 3
    parent[key] = rng.choice(ways)
    return f"{value!r} as {parent[key]!r} at {[*above, key]}", found


def sealed(body: dict[str, Any], before: dict[str, Any]) -> str:
    """The text of a file, its digest that of what it says now."""
    if "digest" in body and body["digest"] == before["digest"]:
        body["digest"] = digest_of(body)
    if "sha256" in body and body["sha256"] == before["sha256"]:
        body["sha256"] = digest({key: value for key, value in body.items() if key != "sha256"})
    return json.dumps(body)


@cache
def releases() -> tuple[MomentRelease, ...]:
    return tuple(read_release(path) for path in V1.glob("*.moments.json"))


@cache
def feature_maps() -> dict[str, FeatureMap]:
    people = build_feature_map(read_marginals(V1 / "gaussian.marginals.json").schema, label="insured")
    return {found.digest: found for found in (people, *(release.feature_map for release in releases()))}


def is_read(kind: str, text: str, before: dict[str, Any]) -> bool:
    """Whether our own reader takes it."""
    readers: dict[str, Callable[[], object]] = {
        "schema": lambda: parse_schema(text),
        "release-moments": lambda: parse_release(text),
        "release-marginals": lambda: parse_marginals(text),
        "query": lambda: parse_query(text, next(r for r in releases() if r.reservation_id == before["release"])),
        "model": lambda: parse_model(text, feature_maps()[before["feature_map"]]),
    }
    if kind not in readers:
        return check_text(text).valid
    try:
        readers[kind]()
    except SynthboundsError:
        return False
    return True


BROKEN, REWRITTEN = 20, 6
"""Mutations of every file."""


def mutations(
    mutate: Callable[[dict[str, Any], random.Random], tuple[str, dict[str, Any]]], often: int
) -> Iterator[tuple[str, bool, bool]]:
    """Which, whether our reader takes it, whether the schema does."""
    for path in FILES:
        rng = random.Random(path.name)
        before = json.loads(path.read_text(encoding="utf-8"))
        kind = kind_of(path)
        for _ in range(often):
            what, body = mutate(before, rng)
            text = sealed(body, before)
            yield f"{path.name}: {what}", is_read(kind, text, before), validator(kind).is_valid(json.loads(text))


def test_broken_files_are_rejected() -> None:
    found = list(mutations(broken, BROKEN))
    assert not [what for what, read, valid in found if read and not valid]
    wrong = [(what, valid) for what, read, valid in found if not read]
    accepted = [what for what, valid in wrong if valid]
    assert len(wrong) >= 600
    assert len(accepted) <= (1 - LEAST_REJECTED) * len(wrong), accepted


def test_whatever_a_reader_takes_is_valid() -> None:
    found = list(mutations(rewritten, REWRITTEN))
    assert not [what for what, read, valid in found if read and not valid]
    assert sum(read for _, read, _ in found) >= 20


def test_broken_outputs_are_rejected() -> None:
    rng = random.Random(1)
    outputs = [(names[0], json.loads(text)) for _, names, text in recorded() if names[0].startswith(OUTPUT)]
    accepted = []
    for name, body in outputs:
        inputs = body.pop("inputs")  # anything is an option
        what, bad = broken(body, rng)
        if validator(name).is_valid({**bad, "inputs": inputs}):
            accepted.append(f"{name}: {what}")
    assert len(accepted) <= (1 - LEAST_REJECTED) * len(outputs), accepted
