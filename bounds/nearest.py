"""What a user may have meant: the known words that are fewest edits away from an unknown one."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 80
_MOST = 8
"""Words of one letter are all equally near each other; longer lists help nobody."""


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """A question to follow a colon, or `otherwise` if nothing is near.

    >>> did_you_mean("requir", ["require", "release"]), did_you_mean("--q", ["--p", "--t"])
    ('did you mean require?', 'did you mean --p or --t?')
    """
    near = nearest(word, known)
    if not near:
        return otherwise
    return f"did you mean {' or '.join([', '.join(near[:-1]), near[-1]] if near[1:] else near)}?"


def nearest(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """Words one slip away; else those that begin so; else the nearest, unless more than a third would be changed."""
    if not word.strip("- ") or len(word) > _LONGEST:
        return ()
    said = word.casefold()
    names = dict.fromkeys(known)
    apart = {name: _edits(said, name.casefold()) for name in names if abs(len(name) - len(said)) <= len(said)}
    fewest = min(apart.values(), default=_LONGEST)
    if fewest > 1:
        begins = tuple(name for name in names if name.casefold().startswith(said))
        if begins:
            return begins[:_MOST]
    if fewest > max(1, len(said) // 3):
        return ()
    return tuple(name for name, edits in apart.items() if edits == fewest)[:_MOST]


def _edits(one: str, other: str) -> int:
    """Letters to insert, leave out, replace, or exchange with the next one."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        row = [i]
        for j, b in enumerate(other, start=1):
            least = min(last[j] + 1, row[-1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                least = min(least, before[j - 2] + 1)
            row.append(least)
        before, last = last, row
    return last[-1]
