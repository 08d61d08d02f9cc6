"""When a delta is too large for the number of records: publishing one record, chosen at random, satisfies delta = 1/n.

With delta below 1/n no such mechanism is allowed; 1/n^2 leaves a margin. It is a warning, not a rule of privacy: what
is promised stays true.
"""

from __future__ import annotations

from fractions import Fraction

from bounds.enclosure import decimal_text

DELTA_RULE = "it must be far below 1/n, such as 1/n^2"


def large_delta(dp_delta: Fraction, *, size: int, is_least: bool) -> str | None:
    """What to say about a delta that is 1/size or more; `size` is a public number, n or the least one."""
    if dp_delta * size < 1:
        return None
    name = "least-size" if is_least else "n"
    limit, instead = decimal_text(Fraction(1, size), 3, up=False), decimal_text(Fraction(1, size**2), 2, up=False)
    power = f"{name}^2" if name == "n" else f"({name})^2"
    return (
        f"dp-delta = {decimal_text(dp_delta, 3, up=True)}: is too large for {name} = {size:,}: from 1/{name} = {limit} "
        f"it would allow publishing a whole record; give a smaller one, such as 1/{power} = {instead}"
    )
