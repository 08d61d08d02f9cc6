"""The command line as people use it: formats, files, streams, start-up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import synthbounds
from synthbounds.cli import main
from synthbounds.render.text import TextRenderer

ASK = ["require", "--p", "10", "--degree", "2", "--epsilon", "0.2", "--delta", "0.05", "--gamma", "0.05"]
PAPER = [
    "require",
    "--p",
    "3",
    "--degree",
    "2",
    "--epsilon",
    "0.2",
    "--delta",
    "0.5",
    "--gamma",
    "0.25",
    "--edition",
    "printed",
]
EVERY_COMMAND = [
    ASK,
    PAPER,
    [*ASK, "--measure", "histogram"],
    ["require", "--solve-for", "epsilon", "--n", "3000", *ASK[1:5], "--delta", "0.05", "--gamma", "0.05"],
    ["compare", *ASK[1:]],
    ["compare", *ASK[1:], "--lipschitz", "2", "--tau", "0.5"],
    ["renyi", "--nu", "zipf:8", "--mu", "uniform:8", "--through", "uniform:8", "--n", "500", "--epsilon", "1"],
    ["renyi", "--nu", "zipf:8", "--n", "50", "--epsilon", "0.2", "--simulate", "50"],
    ["approx", "--function", "logistic", "--interval", "-5,5", "--degree", "4"],
    ["approx", "--function", "-log(1+exp(-x))", "--interval", "-2,1/3", "--degree", "30", "--method", "bernstein"],
    ["approx", "--function", "hinge", "--interval", "-2,2", "--degree", "4", "--method", "optimal",
     "--marginal-error", "0.1"],
    ["explain", "zhou2024.coefficient-sum"],
    ["explain", "synthbounds.logistic-chebyshev", "--at", "radius=5,half_degree=2"],
    ["explain", "bojkovic2024.histogram"],
    ["explain", "synthbounds.noise-linf", "--at", "p=10,degree=2,gamma=0.05"],
    ["list"],
    ["list", "--paper", "bojkovic2024"],
    ["cite"],
    ["cite", "bojkovic2024.uniform"],
    ["doctor"],
]  # fmt: skip


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    assert main(arguments) == 0
    said = capsys.readouterr()
    return said.out, said.err


def as_json(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    return json.loads(run([*arguments, "--format", "json"], capsys)[0])


@pytest.mark.parametrize("arguments", EVERY_COMMAND, ids=lambda a: " ".join(a)[:60])
@pytest.mark.parametrize("style", ["text", "json", "markdown", "latex"])
def test_every_command_in_every_format(arguments: list[str], style: str, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run([*arguments, "--format", style], capsys)
    assert out.strip()
    assert "\x1b" not in out
    assert "Fraction(" not in out
    assert "None" not in out
    if style == "json":
        answer = json.loads(out)
        assert answer["schema_version"] == 1
        assert answer["command"] == arguments[0]
        assert all(isinstance(value, str) for value in answer["inputs"].values())
        assert answer["provenance"]["version"] == synthbounds.__version__
    if style == "latex":
        assert out.count("{") == out.count("}")
        assert out.count(r"\begin{") == out.count(r"\end{")


def test_json_contract_of_require(capsys: pytest.CaptureFixture[str]) -> None:
    answer = as_json(ASK, capsys)
    promised = {"theorem", "edition", "measure", "n", "m", "k", "queries", "domain_size", "renyi_bound", "terms"}
    assert promised | {"guarantee", "hypotheses", "inputs", "provenance"} <= answer.keys()
    assert (answer["n"], answer["m"], answer["k"]) == (440, None, 1867)
    assert answer["inputs"]["epsilon"] == "0.2"
    assert answer["queries"] == 56
    for term in answer["terms"]:
        assert {"quantity", "name", "enclosure", "binding"} <= term.keys()
        low, high = Fraction(term["enclosure"]["lo"]), Fraction(term["enclosure"]["hi"])
        assert low <= high <= term["required"]
        assert low > term["required"] - 1 or term["required"] == 1 or low == term["required"] - 1
    guarantee = answer["guarantee"]
    assert {"epsilon", "accuracy", "failure_probability", "vacuous", "reason", "adjacency"} <= guarantee.keys()
    assert guarantee["adjacency"] == "replace-one"
    assert guarantee["vacuous"] is False
    for hypothesis in answer["hypotheses"]:
        assert {"text", "kind", "holds"} <= hypothesis.keys()


def test_large_integers_are_text_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    answer = as_json([*PAPER[:1], "--p", "40", *PAPER[3:]], capsys)
    assert answer["m"] == str(2**40 * 821 * 16)
    assert isinstance(answer["n"], int)


def test_adjacency_is_always_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert "adjacency replace-one; n is public" in run(ASK, capsys)[0]
    out, _ = run([*ASK, "--adjacency", "add-remove"], capsys)
    assert "adjacency add-remove" in out
    assert "n is private" in out
    assert "Adjacency  replace-one" in run(["compare", *ASK[1:]], capsys)[0]


def test_a_vacuous_guarantee_is_loud(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(PAPER, capsys)
    assert "!! VACUOUS" in out
    assert "VIOLATED" in out
    assert err.startswith("synthbounds: warning: vacuous guarantee")


def test_the_binding_term_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run([*PAPER, "--measure", "histogram"], capsys)
    assert "  > n  empirical distribution near nu" in out
    assert "8,360" in out


def test_colour_only_when_asked_for() -> None:
    from bounds.sizes.require import require
    from synthbounds.render.requirement import requirement_document

    document = requirement_document(require(p=3, degree=2, epsilon=".2", delta=".5", gamma=".25", edition="printed"))
    assert "\x1b[" in TextRenderer(colour=True).render(document)
    assert "\x1b" not in TextRenderer(colour=False).render(document)


def test_lines_fit_a_terminal_except_tables(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(ASK, capsys)
    assert max(len(line) for line in out.splitlines()) <= 100


def test_output_is_written_whole_and_not_over_another(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "answer.json"
    out, _ = run([*ASK, "--format", "json", "--output", str(target)], capsys)
    assert out == ""
    first = target.read_text(encoding="utf-8")
    assert json.loads(first)["n"] == 440
    assert main([*PAPER, "--output", str(target)]) == 6
    assert "exists; give --force" in capsys.readouterr().err
    assert target.read_text(encoding="utf-8") == first
    run([*PAPER, "--force", "--output", str(target)], capsys)
    assert "467" in target.read_text(encoding="utf-8")
    assert [p.name for p in tmp_path.iterdir()] == ["answer.json"]


@pytest.mark.parametrize("place", ["missing/answer.txt", ".", "answer.txt/answer.txt"])
def test_impossible_targets(place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "answer.txt").write_text("kept", encoding="utf-8")
    assert main([*ASK, "--output", str(tmp_path / place)]) == 6
    said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert (tmp_path / "answer.txt").read_text(encoding="utf-8") == "kept"


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "answer.txt"
    target.write_text("old", encoding="utf-8")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert main([*ASK, "--force", "--output", str(target)]) == 6
    assert "No space left" in capsys.readouterr().err
    assert target.read_text(encoding="utf-8") == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["answer.txt"]


def test_a_bug_of_ours_is_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from synthbounds.cli import list_command

    def broken(_: Any) -> Any:
        raise RuntimeError("oops")

    monkeypatch.setattr(list_command, "run", broken)
    monkeypatch.delenv("SYNTHBOUNDS_DEBUG", raising=False)
    assert main(["list"]) == 70
    assert capsys.readouterr().err.count("\n") == 1
    monkeypatch.setattr(list_command, "run", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
    assert main(["list"]) == 130


def command(arguments: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "synthbounds", *arguments], capture_output=True, text=True, **options)


def test_version_and_help() -> None:
    assert command(["--version"]).stdout == f"synthbounds {synthbounds.__version__}\n"
    helped = command(["require", "--help"])
    assert helped.returncode == 0
    assert "example: synthbounds require" in helped.stdout


def test_a_reader_that_leaves_gets_no_traceback() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "synthbounds", "explain", "bojkovic2024.kde"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    said = process.stderr.read()
    process.wait()
    process.stderr.close()
    assert "Traceback" not in said
    assert "Exception" not in said


def test_require_imports_neither_sympy_nor_scipy() -> None:
    code = (
        "import sys; from synthbounds.cli import main; code = main(sys.argv[1:]);"
        "heavy = [m for m in ('sympy', 'scipy', 'numpy', 'mpmath') if m in sys.modules];"
        "sys.exit(99 if heavy else code)"
    )
    for arguments in (ASK, [*ASK, "--format", "json"], PAPER, ["compare", *ASK[1:]]):
        done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_answers_do_not_depend_on_the_hash_seed() -> None:
    texts = {
        command([*ASK, "--format", "json"], env={**os.environ, "PYTHONHASHSEED": seed}).stdout for seed in ("0", "4242")
    }
    assert len(texts) == 1


STREAMS = [
    ("--version", ">/dev/full", 6),
    ("--version", ">&-", 6),
    ("list", ">/dev/full", 6),
    ("list", ">&-", 6),
    ("--help", ">/dev/full", 6),
    ("nonsense", "2>&-", 2),
    (" ".join(PAPER), "2>&-", 0),
    (" ".join(PAPER) + " --output $(mktemp -u)", ">&-", 0),
    (" ".join(PAPER) + " --output $(mktemp -d)/$'\\xff'", "", 0),
    ("list | head -1", "", 0),
]


@pytest.mark.share(3)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(("arguments", "redirection", "code"), STREAMS)
def test_closed_and_full_streams(arguments: str, redirection: str, code: int) -> None:
    line = f'"{sys.executable}" -m synthbounds {arguments} {redirection}'
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.mark.parametrize("arguments", [["list"], ["explain", "bojkovic2024.histogram"], ["renyi", "--help"]])
def test_a_terminal_without_utf8_is_no_error(arguments: list[str]) -> None:
    done = command(arguments, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert done.stdout


def test_output_follows_links_and_leaves_devices_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    real, link, pipe = tmp_path / "real.txt", tmp_path / "link.txt", tmp_path / "pipe"
    real.write_text("old", encoding="utf-8")
    link.symlink_to(real)
    os.mkfifo(pipe)
    run([*PAPER, "--force", "--output", str(link)], capsys)
    assert link.is_symlink()
    assert "467" in real.read_text(encoding="utf-8")
    assert main([*PAPER, "--force", "--output", str(pipe)]) == 6
    assert "not a regular file" in capsys.readouterr().err
    assert main([*PAPER, "--output", ""]) == 6
    assert main([*PAPER, "--output", str(tmp_path / "new") + "/"]) == 6
    assert main([*PAPER, "--output", str(tmp_path / ("x" * 300))]) == 6
    capsys.readouterr()
    mask = os.umask(0o077)
    try:
        run([*PAPER, "--output", str(tmp_path / "private.txt")], capsys)
    finally:
        os.umask(mask)
    assert (tmp_path / "private.txt").stat().st_mode & 0o777 == 0o600


EXTREME = [
    ["require", "--theorem", "synthbounds.shifted-histogram", "--p", "300", "--degree", "2", *ASK[5:]],
    ["require", "--p", "10", "--degree", "2", "--epsilon", ".2", "--accuracy", ".1", "--failure", "." + "9" * 23],
    ["require", "--measure", "kde", "--p", "2", "--degree", "2", "--lipschitz", "1e8", *ASK[5:]],
    "require --measure histogram --p 10 --degree 2 --epsilon .2 --delta 1e-9 --gamma .01".split(),
    ["compare", "--p", "1000", "--degree", "2", *ASK[5:]],
    ["renyi", "--nu", "uniform:7000", "--n", "100", "--epsilon", ".01"],
    ["renyi", "--nu", "dirichlet:500:1:0", "--mu", "dirichlet:500:1:1"],
    "require --solve-for delta --n 7000 --k 30 --p 10 --degree 2 --epsilon .2 --failure .05".split(),
]  # fmt: skip


@pytest.mark.share(3)
@pytest.mark.parametrize("arguments", EXTREME, ids=lambda a: " ".join(a)[:60])
def test_extreme_questions_are_answered(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    assert capsys.readouterr().out


def test_json_contract_of_approx(capsys: pytest.CaptureFixture[str]) -> None:
    answer = as_json(["approx", "--function", "logistic", "--interval", "-5,5", "--degree", "4"], capsys)
    assert answer["function"] == "logistic"
    assert answer["interval"] == ["-5", "5"]
    assert answer["degree"] == 4
    assert answer["method"] == "minimax"
    assert answer["certified"] is True
    assert answer["error"]["lo"].startswith("0.02023130793840212")
    assert [float(c["lo"]) for c in answer["coefficients"]][1] == -0.5
    assert float(answer["coefficient_sum"]["lo"]) == pytest.approx(1.31846386069106)


def test_a_certificate_is_written_and_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "certificate.json"
    ask = ["approx", "--function", "hinge", "--interval", "-2,2", "--degree", "3", "--certificate", str(target)]
    run(ask, capsys)
    out, _ = run(["check", str(target)], capsys)
    assert out.startswith("Certificate valid")
    assert main(ask) == 6
    assert "certificate = " in capsys.readouterr().err
    run([*ask, "--force"], capsys)
    assert main([*ask, "--output", str(target), "--force"]) == 2
    assert "the same file" in capsys.readouterr().err
    target.write_text(target.read_text(encoding="utf-8").replace('"degree": 3', '"degree": 4'), encoding="utf-8")
    assert main(["check", str(target)]) == 1
    said = capsys.readouterr()
    assert said.out.startswith("Certificate rejected")
    assert said.err == ""
    assert json.loads(run_code(["check", str(target), "--format", "json"], 1, capsys))["valid"] is False
    assert [p.name for p in tmp_path.iterdir()] == ["certificate.json"]


def run_code(arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(arguments) == code
    return capsys.readouterr().out


def test_markdown_tables_keep_their_columns(capsys: pytest.CaptureFixture[str]) -> None:
    """|f - P| in a cell must not open new columns."""
    ask = ["approx", "--function", "hinge", "--interval", "-2,2", "--degree", "2", "--format", "markdown"]
    rows = [line for line in run(ask, capsys)[0].splitlines() if line.startswith("| **")]
    assert rows
    assert all(line.replace(r"\|", "").count("|") == 4 for line in rows)


def test_values_that_start_with_a_minus_are_values(capsys: pytest.CaptureFixture[str]) -> None:
    spaced = run(["approx", "--function", "-exp(x)", "--interval", "-1,1", "--degree", "2"], capsys)[0]
    joined = run(["approx", "--function=-exp(x)", "--interval=-1,1", "--degree=2"], capsys)[0]
    assert spaced == joined


def test_the_doctor_says_which_extras_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from synthbounds.api import checkup

    version = checkup.metadata.version

    def without_matplotlib(name: str) -> str:
        if name == "matplotlib":
            raise checkup.metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(checkup.metadata, "version", without_matplotlib)
    (found,) = (check for check in checkup.doctor() if check.name == "matplotlib")
    assert (found.fine, found.left_out) == (True, True)
    assert found.found.startswith("not installed, needed for figures: pip install 'synthbounds[figures]', or")


def test_a_claim_says_which_refuted_claims_it_rests_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--id", "zhou2024.Cor36.statement"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Rests on zhou2024.A2.error (refuted, proof falls), zhou2024.A2.rescale (refuted, proof falls)" in said


def test_explain_names_claims_against_the_printed_edition(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, there in (([], True), (["--edition", "printed"], True), (["--edition", "sharp"], False)):
        assert main(["explain", "zhou2024.logistic-private", *arguments]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert ("Claims against the printed edition - zhou2024.Cor36.statement (Corollary 3.6)" in said) is there
        assert ("verify --falls ID" in said) is there
