"""The script for zsh: specifications for its own `_arguments`."""

from __future__ import annotations

from collections.abc import Sequence

from bounds.parameter import Parameter
from synthbounds.api import Command
from synthbounds.completion.expected import expected, options_of, places_of, spellings

_START = r"""#compdef synthbounds
# Completion of synthbounds in zsh: eval "$(synthbounds completion zsh)" in ~/.zshrc, after compinit

_synthbounds() {
    local context state state_descr line
    typeset -A opt_args
    _arguments -C \
        '(- *)'{-h,--help}'[show help and exit]' \
        '(- *)--version[show the version and exit]' \
        '1:command:->command' \
        '*::argument:->argument'
    case $state in
        command)
            local -a commands=(
"""
_END = r"""            esac
            ;;
    esac
}

if [[ ${funcstack[1]} == _synthbounds ]]; then
    _synthbounds "$@"
else
    compdef _synthbounds synthbounds
fi
"""


def zsh_script(commands: Sequence[Command]) -> str:
    described = [f"                {_quoted(f'{command.name}:{_plain(command.text)}')}" for command in commands]
    asked = [
        "            )",
        "            _describe -t commands command commands",
        "            ;;",
        "        argument)",
        "            case ${words[1]} in",
    ]
    for command in commands:
        specs = [
            "'(- *)'{-h,--help}'[show help and exit]'",
            *(_option(command, parameter) for parameter in options_of(command)),
            *(_place(command, number, p) for number, p in enumerate(places_of(command), start=1)),
        ]
        lines = " \\\n".join(f"                        {spec}" for spec in specs)
        asked += [
            f"                {command.name})",
            f"                    _arguments \\\n{lines}",
            "                    ;;",
        ]
    return _START + "\n".join([*described, *asked]) + "\n" + _END


def _option(command: Command, parameter: Parameter) -> str:
    text = _plain(parameter.help)
    if parameter.kind == "flag":
        return _quoted(f"{parameter.option}[{text}]")
    value = f"[{text}]:{_value(command, parameter)}"
    if not parameter.short:
        return _quoted(f"{'*' if parameter.kind == 'list' else ''}{parameter.option}={value}")
    together = " ".join(spellings(parameter))
    return f"'({together})'{{{parameter.short}+,{parameter.option}=}}{_quoted(value)}"


def _place(command: Command, number: int, parameter: Parameter) -> str:
    start = "*:" if parameter.kind == "list" else f"{number}::" if parameter.optional else f"{number}:"
    return _quoted(start + _value(command, parameter))


def _value(command: Command, parameter: Parameter) -> str:
    what = expected(command, parameter)
    action = f"({' '.join(what.words)})" if what.words else "_files" if what.files else " "
    action = "_files -/" if what.folders else action
    return f"{_plain(parameter.metavar or parameter.name)}:{action}"


def _plain(text: str) -> str:
    """Escape the characters that have a meaning in a specification."""
    return "".join("\\" + c if c in "\\:[]" else c for c in text)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
