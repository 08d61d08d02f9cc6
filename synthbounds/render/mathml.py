"""One formula from LaTeX to MathML, which browsers show without a script; a formula not understood in full is refused.

Pages of the site and the theorem browser have their formulas from here. The converter comes with the extras docs and
web; nothing else of the front door needs it.
"""

from __future__ import annotations

import re
from functools import cache

_SIZED = {r"\lbrace": r"\{", r"\rbrace": r"\}", r"\lfloor": "⌊", r"\rfloor": "⌋", r"\lceil": "⌈", r"\rceil": "⌉"}
_WORD = re.compile(r"\\mathrm\{([A-Za-z][A-Za-z ]+)\}")
_BAR = '<mo stretchy="false">&#x0007C;</mo>'
"""A plain stroke: MathML would space it like a relation, LaTeX does not space it at all."""
_NAME = re.compile(rf"(</(?:mi|mn|mrow|msub|msup|msubsup|mfrac|msqrt)>|{re.escape(_BAR)})(?=<mi>[a-z]{{2,}}</mi>)")
"""Where LaTeX leaves a thin space: between a factor and a name such as log."""
_BIG = re.compile(r"(\\[bB]igg?[lrm]?)\s*(" + "|".join(re.escape(name) for name in _SIZED) + r")(?![a-zA-Z])")


@cache
def mathml(latex: str, *, display: bool) -> str:
    """The element `math`, for a line of its own or within a sentence; ValueError if a command is not known."""
    from latex2mathml.converter import convert

    source = _BIG.sub(lambda found: found.group(1) + _SIZED[found.group(2)], latex.strip())
    source = _WORD.sub(r"\\text{\1}", source.replace(r"\nolimits", ""))
    braces = re.findall(r"(?<!\\)[{}]", source)
    if braces.count("{") != braces.count("}"):
        raise ValueError(f"no MathML for the formula {latex!r}: its braces do not match")
    try:
        found: str = convert(source, display="block" if display else "inline")
    except Exception as error:
        raise ValueError(f"no MathML for the formula {latex!r}: {error!r}") from error
    for left, sign in (("{", "{"), ("}", "}"), ("|", "‖")):  # signs that the converter leaves as they are if sized
        found = found.replace(f">\\{left}<", f">{sign}<")
    if unknown := re.search(r"\\([a-zA-Z]+|.)", found):
        raise ValueError(f"no MathML for {unknown.group()} in the formula {latex!r}")
    found = _NAME.sub(r'\1<mspace width="0.17em" />', found)
    return found.replace(_BAR, _BAR.replace("<mo ", '<mo lspace="0" rspace="0" '))
