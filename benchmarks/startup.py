"""How long a command takes to start and answer, compared with the import of numpy in the same environment."""

from __future__ import annotations

import sys
from typing import Any

from benchmarks.measure import child_cpu_seconds, main, synthbounds_command

ASK = ("require", "--p", "10", "--degree", "2", "--epsilon", "0.2", "--delta", "0.05", "--gamma", "0.05")


def run(*, quick: bool) -> dict[str, Any]:
    repeats = 5 if quick else 15
    numpy_import = child_cpu_seconds([sys.executable, "-c", "import numpy"], repeats)
    version = child_cpu_seconds(synthbounds_command("--version"), repeats)
    require = child_cpu_seconds(synthbounds_command(*ASK), repeats)
    as_json = child_cpu_seconds(synthbounds_command(*ASK, "--format", "json"), repeats)
    return {
        "require_vs_numpy_import": round(require / numpy_import, 3),
        "version_cpu_s": round(version, 4),
        "require_cpu_s": round(require, 4),
        "require_json_cpu_s": round(as_json, 4),
        "numpy_import_cpu_s": round(numpy_import, 4),
        "within_target": version < 0.3 and require < 0.6,
    }


if __name__ == "__main__":
    sys.exit(main("startup", __doc__ or "", run))
