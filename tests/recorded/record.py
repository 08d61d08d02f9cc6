"""Rewrite the outputs of the recorded commands: `python -m tests.recorded.record [GROUP ...]`.

Read the difference before committing it: whatever changed has changed for users of the command line.
"""

from __future__ import annotations

import sys
import time

from tests.recorded.running import OUTPUTS, groups, run_group


def record(names: list[str]) -> None:
    found = groups()
    for name, commands in found.items():
        if names and name not in names:
            continue
        start = time.process_time()
        text = "\n".join(run_group(commands))
        (OUTPUTS / f"{name}.txt").write_text(text, encoding="utf-8")
        print(f"{name}: {len(commands)} commands, {time.process_time() - start:.1f} s")
    for path in OUTPUTS.glob("*.txt"):
        if path.stem not in found:
            path.unlink()


if __name__ == "__main__":
    record(sys.argv[1:])
