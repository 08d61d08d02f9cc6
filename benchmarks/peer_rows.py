"""Rows of another project's synthesizer, in an interpreter that has it: `python peer_rows.py FOLDER`; self-contained.

Started by benchmarks.tables. FOLDER has records.csv, codes under the columns' names, and asked.json: the peer, the
numbers of codes, epsilon, dp_delta, rho, the number of rows. It gets rows.csv, and found.json with CPU seconds and
versions. Every peer runs with its own defaults and is given the numbers of codes, so it learns no domain from records.
sampled.csv has rows of the same model drawn one by one: mbi 1.1 makes its rows in strata, in the same order within the
groups of every column, so columns that are independent in its model, given their parent, come out correlated.
"""

from __future__ import annotations

import functools
import importlib.metadata
import json
import sys
import time
from pathlib import Path
from typing import Any


def main(folder: Path) -> None:
    asked = json.loads((folder / "asked.json").read_text(encoding="utf-8"))
    start = time.process_time()
    project, _, method = asked["peer"].partition("-")
    made = {"smartnoise": _smartnoise, "opendp": _opendp}[project](folder / "records.csv", method, asked)
    made("round").to_csv(folder / "rows.csv", index=False)
    found = {"cpu_s": time.process_time() - start}
    made("sample").to_csv(folder / "sampled.csv", index=False)
    packages = {"smartnoise": ("smartnoise-synth", "mbi"), "opendp": ("opendp", "mbi")}[project]
    found |= {"versions": ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)}
    (folder / "found.json").write_text(json.dumps(found), encoding="utf-8")


def _smartnoise(table: Path, method: str, asked: dict[str, Any]) -> Any:
    import numpy as np
    import pandas as pd
    from snsynth import Synthesizer
    from snsynth.transform import LabelTransformer, TableTransformer

    records = pd.read_csv(table, dtype=np.int64)
    largest = max(asked["sizes"].values())
    # all codes of every column, whether a record has them or not
    codes = pd.DataFrame({name: [min(i, size - 1) for i in range(largest)] for name, size in asked["sizes"].items()})
    transformer = TableTransformer([LabelTransformer(nullable=False) for _ in asked["sizes"]])
    transformer.fit(codes)
    delta = {} if method == "mwem" else {"delta": asked["dp_delta"]}
    made = Synthesizer.create(method, epsilon=asked["epsilon"], **delta)
    made.fit(records, transformer=transformer, categorical_columns=list(records.columns))
    model = made.synthesizer
    draw = model.synthetic_data

    def rows(way: str) -> Any:
        object.__setattr__(model, "synthetic_data", functools.partial(draw, method=way))
        return made.sample(asked["rows"])[list(records.columns)].astype(int)

    return rows


def _opendp(table: Path, method: str, asked: dict[str, Any]) -> Any:
    import opendp.prelude as dp
    import polars as pl

    dp.enable_features("contrib")
    context = dp.Context.compositor(
        data=pl.scan_csv(table),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(rho=asked["rho"]),
        split_evenly_over=1,
    )
    keys = {name: list(range(size)) for name, size in asked["sizes"].items()}
    algorithm = {"aim": dp.mbi.AIM, "mst": dp.mbi.MST}[method]()
    released = context.query().select(*keys).contingency_table(keys=keys, algorithm=algorithm).release()
    return lambda way: released.synthesize(rows=asked["rows"], method=way).to_pandas()[list(keys)].astype(int)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
