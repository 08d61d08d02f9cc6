"""The example of a table as people have them: 300 made-up stays, with gaps, dates, names and notes in it."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from pathlib import Path

COLUMNS = ("patient", "admitted", "age", "ward", "bmi", "pain", "days", "remark", "readmitted")
REMARKS = ("came by ambulance", "fell at home", "second stay this year", "asked for a vegetarian diet", "speaks Danish")


def stays(count: int = 300, seed: int = 3) -> list[tuple[object, ...]]:
    """Stays in which older people stay longer and come back more often."""
    rng = random.Random(seed)  # noqa: S311 - an example, not a secret
    rows: list[tuple[object, ...]] = []
    for number in range(count):
        age = min(101, max(0, round(rng.gauss(58, 21))))
        when = datetime(2023, 3, 1) + timedelta(minutes=rng.randrange(500 * 24 * 60))
        days = 1 + int(rng.expovariate(1 / (2 + age / 20)))
        back = rng.random() < 0.05 + age / 400 + days / 100
        rows.append(
            (
                f"P{rng.randrange(10**6):06}",
                when.strftime("%d.%m.%Y %H:%M"),
                age,
                rng.choices(("surgery", "medicine", "heart", "children"), (4, 5, 2, 1))[0],
                "NA" if rng.random() < 0.12 else f"{rng.gauss(26, 4):.1f}",
                "?" if rng.random() < 0.2 else min(10, int(rng.expovariate(1 / 3))),
                days,
                f"{rng.choice(REMARKS)} (bed {number % 97})" if rng.random() < 0.9 else "",
                "yes" if back else "no",
            )
        )
    return rows


if __name__ == "__main__":
    lines = [", ".join(str(cell) for cell in row) for row in (COLUMNS, *stays())]
    (Path(__file__).parent / "clinic.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
