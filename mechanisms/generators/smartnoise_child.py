"""Run by the interpreter that has smartnoise-synth, as a separate program: codes in, codes out, nothing of ours.

Columns are one-hot encoded by their public numbers of codes, so the transformation learns nothing from the records.
"""

import json
import sys
from pathlib import Path


def main(folder: Path) -> None:
    """Read the records and what is asked for, train, and write rows."""
    import numpy as np
    import pandas as pd
    from snsynth import Synthesizer
    from snsynth.transform import OneHotEncoder, TableTransformer

    asked = json.loads((folder / "asked.json").read_text(encoding="utf-8"))
    records = pd.read_csv(folder / "records.csv", dtype=np.int64)
    transformer = TableTransformer([OneHotEncoder() for _ in asked["sizes"]])
    # every possible code, whether a record has it or not
    transformer.fit(pd.DataFrame([[size - 1 for size in asked["sizes"]]], columns=records.columns))
    settings = {"delta": asked["dp_delta"], "cuda": False, "verbose": False} | asked["settings"]
    made = Synthesizer.create(asked["method"], epsilon=asked["epsilon"], **settings)
    made.fit(records, categorical_columns=list(records.columns), transformer=transformer)
    made.sample(asked["rows"]).astype(np.int64).to_csv(folder / "rows.csv", index=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
