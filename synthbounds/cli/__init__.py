"""The command line. `--version` is answered before anything heavy is imported."""

from __future__ import annotations

import contextlib
import sys


def main(argv: list[str] | None = None) -> int:
    """Run one command; returns the exit code. Never shows a traceback."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments == ["--version"]:
        from synthbounds._version import __version__

        try:
            sys.stdout.write(f"synthbounds {__version__}\n")
            sys.stdout.flush()
        except (OSError, AttributeError):
            with contextlib.suppress(OSError, AttributeError):
                sys.stderr.write("synthbounds: error: standard output cannot be written\n")
            return 6
        return 0
    try:
        from synthbounds.cli.run import run

        if argv is not None:
            return run(arguments)
        from synthbounds.cli.supervised import supervised

        return supervised(lambda: run(arguments), arguments)
    except KeyboardInterrupt:  # while modules are being imported
        with contextlib.suppress(OSError, AttributeError):
            sys.stderr.write("synthbounds: error: interrupted\n")
        return 130
