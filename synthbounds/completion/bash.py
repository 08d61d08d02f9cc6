"""The script for bash, 3.2 or later."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from synthbounds.api import Command
from synthbounds.completion.expected import MAIN_OPTIONS, Expected, expected, options_of, places_of, spellings

_FUNCTION = r"""
_synthbounds() {
    local word=${COMP_WORDS[COMP_CWORD]} command= option= value= place=1 i said IFS=$' \t\n'
    COMPREPLY=()
    [[ $word == "=" ]] && word=
    for ((i = 1; i < COMP_CWORD; i++)); do
        said=${COMP_WORDS[i]}
        if [[ -z $command ]]; then
            [[ $said == -* ]] || command=$said
        elif [[ $said == -* ]]; then
            _synthbounds_expected "$command" "$said"
            option=$said value=$REPLY
            [[ $value == flag ]] && option=
        elif [[ $said != "=" && -n $option ]]; then
            [[ $value == "several "* ]] || option=
        elif [[ $said != "=" ]]; then
            place=$((place + 1))
        fi
    done
    if [[ -z $command ]]; then
        value="words $(_synthbounds_commands)"
        [[ $word == -* ]] && value="words MAIN"
    elif [[ $word == -* ]]; then
        _synthbounds_options "$command"
        value="words $REPLY"
    elif [[ -z $option ]]; then
        _synthbounds_expected "$command" "$place"
        value=$REPLY
    fi
    value=${value#several }
    case $value in
        words\ *) COMPREPLY=($(compgen -W "${value#words }" -- "$word")) ;;
        files | folders)
            compopt -o filenames 2>/dev/null
            IFS=$'\n'
            if [[ $value == files ]]; then
                COMPREPLY=($(compgen -f -- "$word"))
            else
                COMPREPLY=($(compgen -d -- "$word"))
            fi
            ;;
    esac
}
complete -F _synthbounds synthbounds
"""


def bash_script(commands: Sequence[Command]) -> str:
    names = " ".join(command.name for command in commands)
    main = " ".join(option for options in MAIN_OPTIONS for option in options)
    parts = [
        '# Completion of synthbounds in bash: eval "$(synthbounds completion bash)" in ~/.bashrc',
        f"_synthbounds_commands() {{\n    echo {names}\n}}",
        _case("_synthbounds_options", '"$1"', {command.name: _options(command) for command in commands}),
        _case("_synthbounds_expected", '"$1 $2"', _expected_by_place(commands)),
    ]
    return "\n".join(parts) + _FUNCTION.replace("MAIN", main)


def _options(command: Command) -> str:
    return " ".join(["-h --help", *(spelling for p in options_of(command) for spelling in spellings(p))])


def _expected_by_place(commands: Sequence[Command]) -> dict[str, str]:
    """For each command and option, and for each command and number of a place."""
    found = {}
    for command in commands:
        for parameter in options_of(command):
            for spelling in spellings(parameter):
                what = "flag" if parameter.kind == "flag" else _text(expected(command, parameter))
                found[f"{command.name} {spelling}"] = f"several {what}" if parameter.kind == "list" else what
        for number, parameter in enumerate(places_of(command), start=1):
            place = "[0-9]*" if parameter.kind == "list" else str(number)
            found[f"{command.name} {place}"] = _text(expected(command, parameter))
    return found


def _text(value: Expected) -> str:
    if value.words:
        return "words " + " ".join(value.words)
    return "files" if value.files else "folders" if value.folders else "anything"


def _case(name: str, what: str, answers: dict[str, str]) -> str:
    """A function that leaves its answer in REPLY, which starts no process; equal answers share a line."""
    asked = defaultdict(list)
    for question, answer in answers.items():
        asked[answer].append(question.replace(" ", r"\ "))
    lines = [f"        {' | '.join(questions)}) REPLY='{answer}' ;;" for answer, questions in asked.items()]
    return "\n".join([f"{name}() {{", "    REPLY=", f"    case {what} in", *lines, "    esac", "}"])
