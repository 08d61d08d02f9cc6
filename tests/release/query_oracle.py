"""Public queries from their file form alone, as docs/proofs/synthbounds.threshold-queries.md states them: with integers
and fractions of Python, record by record, without the modules under test."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import floor, isqrt
from typing import Any

from release.data.schema import Schema

MASK = 2**64 - 1


def philox(key: int, stream: int, count: int) -> list[int]:
    """The first numbers of Philox 4x64-10, whose counter is raised before it is used."""
    found: list[int] = []
    for block in itertools.count(1):
        if len(found) >= count:
            return found[:count]
        c, k = [block, 1, 0, stream], [key, 0]
        for _ in range(10):
            first, second = 0xD2E7470EE14C6C93 * c[0], 0xCA5A826395121157 * c[2]
            c = [second >> 64 ^ c[1] ^ k[0], second & MASK, first >> 64 ^ c[3] ^ k[1], first & MASK]
            k = [k[0] + 0x9E3779B97F4A7C15 & MASK, k[1] + 0xBB67AE8584CAA73B & MASK]
        found += c
    raise AssertionError


def bells(key: int, stream: int, count: int) -> list[int]:
    """Sums of twelve uniform whole numbers of 16 bits each, the lowest bits of every number first."""
    parts = [raw >> shift & 0xFFFF for raw in philox(key, stream, 3 * count) for shift in (0, 16, 32, 48)]
    return [sum(parts[12 * i : 12 * i + 12]) - 6 * 2**16 for i in range(count)]


def nearest(x: Fraction) -> int:
    return floor(x + Fraction(1, 2))


def conditions(body: dict[str, Any], schema: Schema) -> list[Any]:
    """For every query a function of the codes of the numbers."""
    tops = [schema.columns[schema.names.index(name)].size - 1 for name in body["numbers"]]
    r, count, seed = len(tops), body["count"], int(body["seed"])
    if body["kind"] == "mixed":
        one, other = ([raw % (r - stream) for raw in philox(seed, stream, count)] for stream in (0, 1))
        pairs = [sorted((a, b + (b >= a))) for a, b in zip(one, other, strict=True)]
        left, right = (philox(seed, stream, count) for stream in (2, 3))
        return [
            lambda codes, a=a, b=b, s=s, t=t: codes[a] <= s % tops[a] and codes[b] <= t % tops[b]
            for (a, b), s, t in zip(pairs, left, right, strict=True)
        ]
    most = 2**23 if r * (max(tops) + 1) <= 2**14 else 2**40
    unit = Fraction(most, 12 * 2**16 * r)
    drawn = [bells(seed, stream, count) for stream in range(r + 1)]
    root = Fraction(isqrt(r << 32), 2**16)
    found = []
    for offset, *slopes in zip(*drawn, strict=True):
        weights = [nearest(slope * unit / top) for slope, top in zip(slopes, tops, strict=True)]
        level = nearest((offset * root + 2 * sum(slopes)) * unit / 4)
        found.append(lambda codes, w=weights, t=level: sum(a * b for a, b in zip(w, codes, strict=True)) > t)
    return found


def answers(body: dict[str, Any], schema: Schema, record: list[int]) -> list[Fraction]:
    """What one record adds to every answer."""
    sizes = [column.size for column in schema.columns]
    numbers, by = ([schema.names.index(name) for name in body[key]] for key in ("numbers", "by"))
    codes = [record[u] for u in numbers]
    if body["kind"] == "moments":
        x = [
            Fraction(nearest(Fraction(2**15 * code, sizes[u] - 1)), 2**15)
            for code, u in zip(codes, numbers, strict=True)
        ]
        values = [*x, *(a * b for a, b in itertools.combinations_with_replacement(x, 2))]
        labels = [label for label in by or [None] for _ in values]
        values *= max(1, len(by))
    else:
        values = [Fraction(meets(codes)) for meets in conditions(body, schema)]
        labels = [by[q % len(by)] for q in range(len(values))]
    return [
        value * (label is None or record[label] == code)
        for value, label in zip(values, labels, strict=True)
        for code in range(1 if label is None else sizes[label])
    ]
