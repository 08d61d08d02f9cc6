"""A strict reader of LaTeX: finds what an engine would stumble over, without an engine."""

from __future__ import annotations

import re

NEEDED = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{amsmath,amsthm,booktabs}
\newtheorem{theorem}{Theorem}
\begin{document}
%s
\end{document}
"""
_VERBATIM = re.compile(r"\\begin\{verbatim\}\n.*?\n\\end\{verbatim\}", re.DOTALL)
_TOKEN = re.compile(
    r"\\begin\{(?P<begin>[a-z*]+)\}|\\end\{(?P<end>[a-z*]+)\}|(?P<display>\\[\[\]])|\\(?P<name>[A-Za-z]+)|(?P<escape>\\.)"
    r"|(?P<sign>[{}$&#%^_~\\<>|\"])|(?P<other>.)",
    re.DOTALL,
)
KNOWN = frozenset(
    "paragraph leavevmode par noindent medskip smallskip textbf texttt emph textsuperscript item toprule midrule "
    "bottomrule cite text mathrm mathcal frac sqrt log min max exp left right ge le ne cdot infty ell qquad sum prod "
    "alpha beta gamma delta eta kappa lambda mu nu omega phi varphi psi rho sigma tau theta varepsilon Omega Delta "
    "Gamma Sigma Phi overline bar hat tilde operatorname lfloor rfloor lceil rceil binom circ dots ldots pi in times "
    "textbackslash textasciitilde textasciicircum textless textgreater textbar textquotedbl mid big Big limits tfrac "
    "sup inf ln Lambda Theta zeta xi chi epsilon vartheta langle rangle".split()
)


def faults(text: str) -> list[str]:
    """Braces, dollars and environments that do not close, signs that are not escaped, commands that are not known."""
    found: list[str] = []
    open_: list[str] = []
    body = "\n".join(line for line in _VERBATIM.sub("", text).splitlines() if not line.startswith("%"))
    for match in _TOKEN.finditer(body):
        in_math = "$" in open_ or "[" in open_
        where = body[max(0, match.start() - 30) : match.end() + 30]
        if match["begin"]:
            open_.append(match["begin"])
        elif match["end"]:
            if not open_ or open_.pop() != match["end"]:
                return [*found, f"\\end{{{match['end']}}} closes nothing: {where!r}"]
        elif match["display"]:
            if match[0] == r"\[":
                open_.append("[")
            elif not open_ or open_.pop() != "[":
                return [*found, f"\\] closes nothing: {where!r}"]
        elif match["name"]:
            if match["name"] not in KNOWN:
                found.append(f"\\{match['name']} is not known: {where!r}")
        elif match["sign"] == "{":
            open_.append("{")
        elif match["sign"] == "}":
            if not open_ or open_.pop() != "{":
                return [*found, f"a brace closes nothing: {where!r}"]
        elif match["sign"] == "$":
            if open_ and open_[-1] == "$":
                open_.pop()
            elif "$" in open_ and "{" not in open_[len(open_) - open_[::-1].index("$") :]:
                return [*found, f"a dollar in mathematics: {where!r}"]
            else:
                open_.append("$")
        elif match["sign"] == "&":
            if "tabular" not in open_ and not text.startswith("% theorem"):
                found.append(f"& outside a table: {where!r}")
        elif match["sign"] and match["sign"] != "~" and not (match["sign"] in "^_<>|" and in_math):
            found.append(f"{match['sign']} is not escaped: {where!r}")
        elif match["other"] and (ord(match["other"]) > 0x17E or match["other"] in "ĦħĸĿŀŉŦŧ"):
            found.append(f"no letter of pdfLaTeX: {match['other']!r}")
    return [*found, *(f"{name} is not closed" for name in open_)]
