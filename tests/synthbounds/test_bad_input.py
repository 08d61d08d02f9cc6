"""Bad input of every kind: one clear line, the documented exit code, no traceback, nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest

from synthbounds.cli import main

GOOD = {"--p": "5", "--degree": "2", "--epsilon": "0.2", "--delta": "0.05", "--gamma": "0.05"}


def require(**changes: str | None) -> list[str]:
    """The good question with some options replaced, added or (None) left out."""
    options = {**GOOD, **{f"--{name.replace('_', '-')}": value for name, value in changes.items()}}
    arguments = ["require"]
    for name, value in options.items():
        if value is not None:
            arguments += [name, value]
    return arguments


def approx(**changes: str | None) -> list[str]:
    """A good question to `approx` with some options replaced, added or (None) left out."""
    options = {"function": "logistic", "interval": "-1,1", "degree": "3", **changes}
    return ["approx", *(f"--{name.replace('_', '-')}={value}" for name, value in options.items() if value is not None)]


CASES: list[tuple[list[str], int, str]] = [
    (require(epsilon="0"), 2, "epsilon = 0"),
    (require(epsilon="-1"), 2, "epsilon = -1"),
    (require(epsilon="nan"), 2, "epsilon = nan"),
    (require(epsilon="inf"), 2, "epsilon = inf"),
    (require(epsilon="1e400"), 2, "epsilon = 1e400"),
    (require(epsilon="1e99999999999"), 2, "epsilon = 1e9999"),
    (require(epsilon="abc"), 2, "epsilon = 'abc'"),
    (require(epsilon=""), 2, "epsilon is blank"),
    (require(epsilon="1/0"), 2, "epsilon = 1/0"),
    (require(epsilon="0.2\n0.3"), 2, "epsilon"),
    (require(epsilon=None), 2, "--epsilon is missing"),
    (require(gamma="0"), 2, "gamma = 0"),
    (require(gamma="1"), 2, "gamma = 1"),
    (require(gamma="7"), 2, "gamma = 7"),
    (require(gamma="-0.1"), 2, "gamma = -0.1"),
    (require(gamma="0.3"), 4, "gamma = 0.3"),
    (require(gamma="0.3", edition="printed"), 4, "gamma = 0.3"),
    (require(gamma="0.2501", edition="corrected"), 4, "gamma = 0.2501"),
    (require(delta="0.6"), 4, "delta = 0.6"),
    (require(delta="0.51", edition="printed"), 4, "delta = 0.51"),
    (require(delta="0"), 2, "delta = 0"),
    (require(delta=None), 2, "--delta"),
    (require(accuracy="0.4"), 2, "accuracy or delta, not both"),
    (require(t="1"), 2, "t = 1"),
    (require(t="2.5"), 2, "t = 2.5"),
    (require(t="1000000000"), 2, "t = 1000000000"),
    (require(p="0"), 2, "p = 0"),
    (require(p=None), 2, "p is missing"),
    (require(p="1000000"), 2, "301030 digits"),
    (require(p="1e9", t="1000000"), 2, "digits"),
    (require(p="1e10"), 2, "p = 1e10"),
    (require(degree="6"), 2, "degree = 6"),
    (require(degree="0"), 2, "degree = 0"),
    (require(degree=None), 2, "degree is missing"),
    (require(queries="10"), 2, "--degree D or --queries F, not both"),
    (require(queries="0", degree=None), 2, "queries = 0"),
    (require(queries="5", degree=None, family="cells"), 2, "--family with --degree"),
    (require(family="words"), 2, "family = words"),
    (require(family="parities", t="3"), 2, "t = 3"),
    (require(measure="histogram", tau1="0", tau2="0.1"), 2, "tau1 = 0"),
    (require(measure="histogram", tau1="0.04", tau2="0.1"), 2, "tau1 = 0.04"),
    (require(measure="histogram", tau1="0.01", tau2="0.001"), 2, "tau2 = 0.001"),
    (require(measure="histogram", tau1="0.01", edition="printed"), 2, "--tau2"),
    (require(theorem="synthbounds.lower-bound", k="5"), 2, "k is not for"),
    (require(theorem="synthbounds.lower-bound", mechanism="linf"), 2, "mechanism is not for"),
    (require(measure="histogram", tau2="0.1"), 2, "tau2 needs tau1"),
    (require(measure="gamma-ray"), 2, "measure = gamma-ray"),
    (require(measure="custom"), 2, "--kappa"),
    (require(measure="custom", kappa="0.5"), 2, "kappa = 0.5"),
    (require(measure="kde", tau="0", lipschitz="1"), 2, "tau = 0"),
    (require(measure="kde", tau="2", lipschitz="1"), 2, "tau = 2"),
    (require(measure="kde", lipschitz="-1"), 2, "lipschitz = -1"),
    (require(measure="kde", lipschitz="1", density_max="0.5"), 2, "density_max = 0.5"),
    (require(measure="kde", lipschitz="1", edition="printed"), 2, "--tau"),
    (require(measure="kde", tau="0.5"), 2, "--lipschitz"),
    (require(edition="blunt"), 2, "edition = blunt"),
    (require(theorem="bojkovic2024.uniform", measure="kde"), 2, "measure = kde"),
    (require(lipschitz="3"), 2, "lipschitz is for --measure kde"),
    (require(kappa="3"), 2, "kappa is for --measure custom"),
    (require(measure="histogram", kappa="1"), 2, "kappa is for --measure custom"),
    (require(tau1="0.01"), 2, "tau1 is for --measure histogram"),
    (require(measure="kde", lipschitz="1", t="3"), 2, "t is for finite domains"),
    (require(theorem="synthbounds.lower-bound", lipschitz="1"), 2, "lipschitz is for --measure kde"),
    (require(gamma=None, failure="1.5"), 2, "failure = 1.5"),
    (require(solve_for="n", n="3"), 2, "n is what is computed"),
    (require(solve_for="accuracy", n="30"), 2, "leave delta out"),
    (require(theorem="bojkovic2024.unifrom"), 2, "did you mean bojkovic2024.uniform"),
    (require(theorem="bojkovic2024.max-laplace"), 2, "helper statement"),
    (require(theorem="bojkovic2024.histogram-floor", edition="printed"), 4, "no printed edition"),
    (require(k="0"), 2, "k = 0"),
    (require(k="3"), 4, "k = 3"),
    (require(k="3", edition="printed"), 4, "k = 3"),
    (require(k="10", release="density"), 2, "--k or --release density"),
    (require(release="everything"), 2, "release = everything"),
    (require(release="density", edition="printed"), 4, "release = density"),
    (require(mechanism="gaussian"), 2, "--dp-delta"),
    (require(mechanism="fog"), 2, "mechanism = fog"),
    (require(mechanism="linf", edition="printed"), 4, "mechanism = linf"),
    (require(rows="sampling"), 4, "rows = sampling"),
    (require(dp_delta="1"), 2, "dp_delta = 1"),
    (require(dp_delta="0"), 2, "dp_delta = 0"),
    (require(adjacency="swap"), 2, "adjacency = swap"),
    (require(adjacency="add-remove", edition="printed"), 4, "replace-one only"),
    (require(n="100"), 2, "--solve-for"),
    (require(solve_for="epsilon"), 2, "--n"),
    (require(solve_for="epsilon", n="100"), 2, "leave epsilon out"),
    (require(solve_for="p", n="100"), 2, "solve-for = p"),
    (require(solve_for="epsilon", epsilon=None, n="0"), 2, "n = 0"),
    (require(solve_for="delta", delta=None, n="1", epsilon="0.001"), 4, "n = 1"),
    (require(solve_for="degree", degree=None, n="1"), 4, "not even degree 1"),
    (require(format="yaml"), 2, "format = yaml"),
    (["require", "--p", "5", "--speed", "9"], 2, "--speed"),
    (["require", "--eps", "0.2"], 2, "--eps"),
    (["require", "--p"], 2, "--p"),
    (["divine"], 2, "divine"),
    (["--"], 2, "COMMAND"),
    (["explain"], 2, "ID"),
    (["explain", "no.such"], 2, "no.such"),
    (["explain", "bojkovic2024.max-laplace", "--at", "sigma"], 2, "NAME=VALUE"),
    (["explain", "bojkovic2024.max-laplace", "--at", "sigma=1"], 2, "needs count"),
    (["explain", "bojkovic2024.max-laplace", "--at", "sigma=1,sigma=2"], 2, "twice"),
    (["explain", "bojkovic2024.max-laplace", "--at", "colour=1"], 2, "colour"),
    (["explain", "bojkovic2024.uniform", "--at", "p=3"], 2, "asks for sizes"),
    (["cite", "nobody1999"], 2, "nobody1999"),
    (["list", "--paper", "nobody1999"], 2, "nobody1999"),
    (["renyi"], 2, "nu is missing"),
    (["renyi", "--nu", "zipf:8", "--mu", "uniform:8", "--variant", "mixed"], 2, "variant mixed"),
    (["compare", "--p", "3", "--degree", "2", "--epsilon", "1"], 2, "--delta"),
    (
        ["compare", "--p", "3", "--degree", "2", "--epsilon", "1", "--delta", ".1", "--gamma", ".01", "--k", "1"],
        4,
        "k = 1",
    ),
    (["explain", "bojkovic2024.ratio-tv", "--at", "tv=0.1"], 4, "needs"),
    (["renyi", "--nu", "zipf:8"], 2, "--mu"),
    (["renyi", "--nu", "zipf:8", "--mu", "nowhere.csv"], 3, "nowhere.csv"),
    (["renyi", "--nu", "zipf:8", "--mu", "uniform:9"], 3, "same points"),
    (["renyi", "--nu", "zipf:8", "--n", "10"], 2, "both --n and --epsilon"),
    (["renyi", "--nu", "zipf:8", "--n", "10", "--epsilon", "0"], 2, "epsilon = 0"),
    (["renyi", "--nu", "zipf:8", "--n", "10", "--epsilon", "1", "--simulate", "0"], 2, "simulate = 0"),
    (["renyi", "--nu", "zipf:8", "--n", "10", "--epsilon", "1", "--variant", "odd"], 2, "variant = odd"),
    (["compare", "--p", "5", "--degree", "2", "--measure", "magic"], 2, "measure = magic"),
    (["compare", "--p", "5", "--degree", "2", "--tau1", "0.01", "--lipschitz", "1"], 2, "compared separately"),
    (["explain", "synthbounds.noise-linf", "--at", "p=5,degree=2,gamma=2"], 2, "gamma = 2"),
    (["explain", "synthbounds.noise-linf", "--at", "p=5,degree=2,gamma=-1"], 2, "gamma = -1"),
    (approx(interval="5,-5"), 2, "interval = 5,-5"),
    (approx(interval="1,1"), 2, "interval = 1,1"),
    (approx(interval="1"), 2, "interval = 1"),
    (approx(interval="1,2,3"), 2, "interval = 1,2,3"),
    (approx(interval="a,b"), 2, "interval = a,b"),
    (approx(interval="nan,1"), 2, "interval = nan,1"),
    (approx(interval="-1e7,1"), 2, "interval = -1e7,1"),
    (approx(interval=None), 2, "interval is missing"),
    (approx(degree="0"), 2, "degree = 0"),
    (approx(degree="-2"), 2, "degree = -2"),
    (approx(degree="2.5"), 2, "degree = 2.5"),
    (approx(degree="101"), 2, "degree = 101: must be at least 1 and at most 100"),
    (approx(degree="1001", method="bernstein"), 2, "at most 1000"),
    (approx(degree="401", method="iterated:2"), 2, "at most 400"),
    (approx(degree="41", method="optimal", marginal_error="1"), 2, "at most 40"),
    (approx(degree=None), 2, "degree is missing"),
    (approx(method="foo"), 2, "method = foo"),
    (approx(method="iterated"), 2, "method = iterated"),
    (approx(method="iterated:0"), 2, "method iterated = 0"),
    (approx(method="iterated:x"), 2, "method iterated = 'x'"),
    (approx(method="minimax:3"), 2, "method = minimax:3"),
    (approx(method="optimal"), 2, "marginal_error is missing"),
    (approx(method="optimal", marginal_error="-1"), 2, "marginal_error = -1"),
    (approx(method="optimal", marginal_error="1e-31"), 2, "marginal_error = 1e-31"),
    (approx(marginal_error="1"), 2, "marginal_error is only for"),
    (approx(function=None), 2, "function is missing"),
    (approx(function=""), 2, "function is blank"),
    (approx(function="hello"), 2, "'hello' is not known"),
    (approx(function="x+"), 2, "it ends too early"),
    (approx(function="x x"), 2, "'x' is one too many"),
    (approx(function="(x"), 2, "')' is missing"),
    (approx(function="max(x)"), 2, "max takes 2 arguments"),
    (approx(function="1/0"), 2, "divides by zero"),
    (approx(function="x^x"), 2, "an exponent must be"),
    (approx(function="x^99"), 2, "an exponent must be"),
    (approx(function="__import__('os').system('true')"), 2, "is not part of the grammar"),
    (approx(function="x;x"), 2, "is not part of the grammar"),
    (approx(function="(" * 100 + "x" + ")" * 100), 2, "nested too deeply"),
    (approx(function="x+" * 300 + "x"), 2, "at most 400 characters"),
    (approx(function="huber:0"), 2, "function huber: knee = 0"),
    (approx(function="phi-gamma"), 2, "phi-gamma:GAMMA"),
    (approx(function="phi-gamma:2"), 2, "function phi-gamma: gamma = 2"),
    (approx(function="logistic:2"), 2, "logistic without a parameter"),
    (approx(function="log(x)", interval="0,1"), 4, "no finite value at x = 0"),
    (approx(function="log(x)"), 4, "no finite value at x = -1"),
    (approx(function="1/x"), 4, "no finite value at x = 0"),
    (approx(function="1/(x-0.123456)"), 4, "near x = 0.123456"),
    (approx(function="sqrt(x)", interval="0,1"), 4, "near x = 0"),
    (approx(function="log(exp(x))", degree="1"), 5, "itself be a polynomial"),
    (approx(function="max(log(exp(x)),x)", degree="2"), 5, "itself be a polynomial"),
    (approx(degree="300", method="bernstein", certificate="c.json"), 2, "degree = 300: must be at most 200"),
    (["check", "absent.json"], 3, "certificate absent.json: cannot be read"),
    (["check", "tests"], 3, "certificate tests: is not a regular file"),
    (["check", "/dev/zero"], 3, "certificate /dev/zero: is not a regular file"),
    (approx(method="minimax:"), 2, "method = minimax:"),
    (approx(function="2^(-3000000000)+x"), 2, "an exponent must be"),
    (approx(function="((9^64)^64)^64+x"), 2, "too many digits"),
    (approx(function="gamma-phi-gamma:1e-300"), 2, "gamma = 1e-300"),
    (["check", "README.md"], 3, "certificate README.md: is not JSON"),
    (["check"], 2, "FILE"),
]


@pytest.mark.parametrize(
    ("arguments", "code", "words"), CASES, ids=lambda v: " ".join(v)[:70] if isinstance(v, list) else None
)
def test_one_line_and_the_right_code(
    arguments: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    target = tmp_path / "answer.txt"
    with_output = (
        [*arguments, "--output", str(target)]
        if arguments and arguments[0] in ("require", "renyi", "approx")
        else arguments
    )
    assert main(with_output) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("synthbounds: error: ")
    assert said.err.count("\n") == 1
    assert words in said.err
    assert "Traceback" not in said.err
    assert len(said.err) < 400
    assert list(tmp_path.iterdir()) == []


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 40


def test_floats_are_refused_in_strict_mode() -> None:
    import synthbounds as sb

    with sb.strict(), pytest.raises(sb.SynthboundsError, match=r"epsilon = 0\.2: must be exact"):
        sb.require(p=10, degree=2, epsilon=0.2, delta=".05", gamma=".05")
    assert sb.require(p=10, degree=2, epsilon=0.2, delta=0.05, gamma=0.05).n == 440
