"""DP-CTGAN and PATE-CTGAN of smartnoise-synth 1.0.8, run by a separate interpreter: baselines for studies only.

Their noise is floating point, from a generator that they seed with a constant, and in PATE-CTGAN teachers and student
are one and the same network, so its argument for privacy does not apply. Nothing they make is a release: there is no
log, no charge and no certificate, and tables go in and come out as codes. smartnoise-synth needs an opendp below 0.15,
and this project is tested with a later one, so it has its own environment, whose interpreter must be named.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from bounds.errors import NotApplicable, ParameterError, UsageError
from bounds.exact import require_range
from release.data.domain import require_records

if TYPE_CHECKING:
    from fractions import Fraction

    from release.data.domain import Codes, Domain

Gan = Literal["dpctgan", "patectgan"]
VARIABLE = "SYNTHBOUNDS_GANS_PYTHON"
"""The environment variable that names the interpreter, unless it is passed in."""
_PACKAGES = "smartnoise-synth==1.0.8 packaging"
_PROGRAM = Path(__file__).with_name("smartnoise_child.py")
_THREADS = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


def interpreter(named: str | None = None) -> Path:
    """The interpreter that has smartnoise-synth: the one given, else that of the environment variable."""
    found = named or os.environ.get(VARIABLE)
    if not found:
        how = f"in an environment of its own: pip install {_PACKAGES} there, and set {VARIABLE} to its interpreter"
        raise UsageError(f"gans: smartnoise-synth is needed, {how}")
    if not Path(found).is_file():
        raise UsageError(f"gans: {VARIABLE} = {found}: is not a file")
    return Path(found)


def is_there() -> bool:
    """Whether the environment names an interpreter that has it."""
    found = os.environ.get(VARIABLE)
    if not found or not Path(found).is_file():
        return False
    return subprocess.run([found, "-c", "import snsynth"], capture_output=True, check=False).returncode == 0


def gan_rows(
    records: Codes,
    domain: Domain,
    method: Gan,
    *,
    epsilon: Fraction,
    dp_delta: Fraction,
    rows: int,
    epochs: int | None = None,
    python: str | None = None,
) -> Codes:
    """Rows of a generator that smartnoise-synth trained on these records; `epochs` replaces its default.

    It gets only codes, and takes the possible ones from the domain, not from the records. PATE-CTGAN trains until the
    budget is used, and takes no epochs.
    """
    if method not in get_args(Gan):
        raise ParameterError("method", method, f"one of {', '.join(get_args(Gan))}")
    if epochs is not None and method == "patectgan":
        raise ParameterError("epochs", epochs, "left out for patectgan", "it trains until the budget is used")
    for name, value in (("rows", rows), ("epochs", 1 if epochs is None else epochs)):
        require_range(name, value, value, least=1)
    for name, share in (("epsilon", epsilon), ("dp_delta", dp_delta)):
        require_range(name, share, share, above=0)
    program = [str(interpreter(python)), str(_PROGRAM)]
    require_records(records, domain)
    asked = {
        "method": method,
        "sizes": list(domain.sizes),
        "epsilon": float(epsilon),
        "dp_delta": float(dp_delta),
        "rows": rows,
        "settings": {} if epochs is None else {"epochs": epochs},
    }
    with tempfile.TemporaryDirectory(prefix="synthbounds-gans-") as name:
        folder = Path(name)
        (folder / "asked.json").write_text(json.dumps(asked), encoding="utf-8")
        _write(folder / "records.csv", records)
        ended = subprocess.run([*program, name], capture_output=True, env=os.environ | _THREADS, check=False)
        if ended.returncode or not (folder / "rows.csv").is_file():
            # its output may show values of the table
            raise NotApplicable(f"{method}: its program ended with exit code {ended.returncode} and made no rows")
        found = np.loadtxt(folder / "rows.csv", delimiter=",", skiprows=1, dtype=np.int64, ndmin=2)
    require_records(found, domain)
    return found.astype(domain.code_type)


def _write(path: Path, records: Codes) -> None:
    header = ",".join(f"x{u}" for u in range(records.shape[1]))
    np.savetxt(path, records, fmt="%d", delimiter=",", header=header, comments="")
