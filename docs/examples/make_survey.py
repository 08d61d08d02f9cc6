"""The example table: 4,000 made-up answers to a survey, the same on every machine."""

from __future__ import annotations

import csv
import random
from pathlib import Path

COLUMNS = ("sex", "age", "smoker", "exercise", "region", "income", "insured", "visits")


def answers(count: int = 4000, seed: int = 1) -> list[tuple[object, ...]]:
    """Answers that depend on each other through age and habits."""
    rng = random.Random(seed)  # noqa: S311 - an example, not a secret
    rows: list[tuple[object, ...]] = []
    for _ in range(count):
        age = min(97, max(18, round(rng.gauss(46, 17))))
        sex = rng.choice("FM")
        smoker = rng.random() < (0.28 if age < 45 else 0.17) + (0.05 if sex == "M" else 0)
        active = rng.random() + (0 if smoker else 0.25) - age / 200
        exercise = "daily" if active > 0.75 else "weekly" if active > 0.3 else "never"
        income = max(0, round(rng.lognormvariate(3.4 - abs(age - 50) / 60, 0.5), 1))
        insured = rng.random() < min(0.98, 0.55 + income / 100)
        visits = min(30, int(rng.expovariate(1 / (1 + age / 25 + 2 * smoker - (exercise == "daily")))))
        region = rng.choices(("north", "east", "south", "west"), (4, 2, 3, 1))[0]
        rows.append((sex, age, yes(smoker), exercise, region, min(income, 200), yes(insured), visits))
    return rows


def yes(true: bool) -> str:
    return "yes" if true else "no"


if __name__ == "__main__":
    with (Path(__file__).parent / "survey.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(answers())
