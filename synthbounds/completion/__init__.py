"""Scripts that complete the command line in a shell, made from the declared parameters; completing runs no Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from synthbounds.api import Command


def script(shell: str, commands: Sequence[Command]) -> str:
    """The script for a shell, one of SHELLS."""
    from synthbounds.completion.bash import bash_script
    from synthbounds.completion.fish import fish_script
    from synthbounds.completion.zsh import zsh_script

    made: dict[str, Callable[[Sequence[Command]], str]] = {
        "bash": bash_script,
        "zsh": zsh_script,
        "fish": fish_script,
    }
    return made[shell](commands)
