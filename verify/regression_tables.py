"""The available tables of the experiments of ddssp2024: integer codes, features as the paper encodes them.

Adult is split into 80 and 20 per cent, the ACS tables as their authors did, with at most 50,000 training records.
Nominal columns have an indicator for each value but the first, others one feature from -1 to 1; there is an intercept.
The tables are not part of the project: a check that needs one says "not run" if it is missing.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from release.data.domain import Domain
from release.data.schema import schema_of_domain
from release.statistics.features import FeatureMap, build_feature_map
from verify import real_tables
from verify.random_splits import split, stream

if TYPE_CHECKING:
    from release.data.domain import Codes

NOMINAL = {
    "adult": ("workclass", "marital-status", "occupation", "relationship", "race", "sex", "native-country"),
    "acs_income": ("COW", "MAR", "RELP", "RAC1P"),
    "acs_employment": ("MAR", "RELP", "ESP", "CIT", "MIG", "MIL", "ANC", "RAC1P"),
    "acs_mobility": ("MAR", "CIT", "MIL", "ANC", "RAC1P", "GCL", "COW", "ESR"),
}
NAMES = tuple(NOMINAL)
"""The label is the last column; that of acs_income is a number in 20 bins."""
MOST_RECORDS = 50_000


@dataclass(frozen=True, eq=False)
class RegressionTable:
    """Training and test records, with the public features of a linear model."""

    name: str
    features: FeatureMap
    train: Codes
    test: Codes

    @property
    def loss(self) -> str:
        return "squared" if self.features.label_is_number else "logistic"


def is_here(name: str) -> bool:
    if name == "adult":
        return real_tables.is_here(name)
    parts = (f"{name}_train.csv", f"{name}_test.csv", f"{name}_domain.json")
    return all((real_tables.FOLDER / part).is_file() for part in parts)


@cache
def regression_table(name: str, number: int = 0) -> RegressionTable:
    """The table; for Adult, with the split of that number."""
    if name == "adult":
        names, sizes = real_tables.columns(name), real_tables.domain(name)
        train, test = split(real_tables.codes(name), stream(number))
    else:
        names, train = _read(f"{name}_train.csv")
        train, test = train[:MOST_RECORDS], _read(f"{name}_test.csv")[1]
        sizes = json.loads((real_tables.FOLDER / f"{name}_domain.json").read_text(encoding="utf-8"))
    schema = schema_of_domain(Domain(tuple(sizes[column] for column in names), names))
    features = build_feature_map(schema, label=names[-1], one_hot=(), reduced=NOMINAL[name])
    kind = schema.domain.code_type
    return RegressionTable(name, features, train.astype(kind), test.astype(kind))


def _read(file: str) -> tuple[tuple[str, ...], Any]:
    import numpy as np

    path = real_tables.FOLDER / file
    with path.open(newline="", encoding="utf-8") as lines:
        names = tuple(next(csv.reader(lines)))
    return names, np.loadtxt(path, delimiter=",", skiprows=1, dtype=np.float64, ndmin=2).astype(np.int64)
