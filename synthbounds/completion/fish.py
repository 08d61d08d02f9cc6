"""The script for fish: one `complete` for every command, option and place."""

from __future__ import annotations

from collections.abc import Sequence

from bounds.parameter import Parameter
from synthbounds.api import Command
from synthbounds.completion.expected import expected, options_of, places_of

_START = """# Completion of synthbounds in fish: synthbounds completion fish | source
function __synthbounds_asks
    set -l said (commandline -opc)
    test (count $said) -ge 2; and test $said[2] = $argv[1]
end
function __synthbounds_asks_nothing
    test (count (commandline -opc)) -eq 1
end
function __synthbounds_place # of an argument without an option; flags are given as arguments
    set -l said (commandline -opc)[3..-1]
    set -l place 1
    set -l value 0
    for word in $said
        if string match -q -- '-*' $word
            set value 1
            if contains -- $word $argv; or string match -q -- '*=*' $word
                set value 0
            end
        else if test $value -eq 1
            set value 0
        else
            set place (math $place + 1)
        end
    end
    echo $place
end
complete -c synthbounds -e
complete -c synthbounds -f
complete -c synthbounds -s h -l help -d 'show help and exit'
complete -c synthbounds -n __synthbounds_asks_nothing -l version -d 'show the version and exit'
"""


def fish_script(commands: Sequence[Command]) -> str:
    lines = [
        f"complete -c synthbounds -n __synthbounds_asks_nothing -a {command.name} -d {_quoted(command.text)}"
        for command in commands
    ]
    for command in commands:
        asks = f"__synthbounds_asks {command.name}"
        lines += [_option(command, parameter, asks) for parameter in options_of(command)]
        flags = " ".join(p.option for p in options_of(command) if p.kind == "flag")
        for number, parameter in enumerate(places_of(command), start=1):
            which = "-ge" if parameter.kind == "list" else "-eq"
            here = _quoted(f"{asks}; and test (__synthbounds_place {flags}) {which} {number}")
            value = _value(command, parameter)
            if value:
                lines.append(f"complete -c synthbounds -n {here} {value}")
    return _START + "\n".join(lines) + "\n"


def _option(command: Command, parameter: Parameter, asks: str) -> str:
    short = f"-s {parameter.short.removeprefix('-')} " if parameter.short else ""
    takes = ""
    if parameter.kind != "flag":
        value = _value(command, parameter)
        takes = f"-r {value} " if value.startswith("-F") else f"-x {value} ".replace("  ", " ")
    long = parameter.option.removeprefix("--")
    return f"complete -c synthbounds -n {_quoted(asks)} {short}-l {long} {takes}-d {_quoted(parameter.help)}"


def _value(command: Command, parameter: Parameter) -> str:
    what = expected(command, parameter)
    if what.words:
        return f"-a {_quoted(' '.join(what.words))}"
    return "-a '(__fish_complete_directories)'" if what.folders else "-F" if what.files else ""


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
