# %% [markdown]
# # From a raw table to a private one
#
# A clinic has a table of admissions, as tables are: dates, gaps, identifiers, free text. It wants to share a table
# that keeps how things go together and protects every patient. (The clinic is made up.)

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import synthbounds as sb
from synthbounds import data

plt.style.use("notebook.mplstyle")
TABLE, SCHEMA = "../docs/examples/clinic.csv", "../docs/examples/clinic.schema.json"
print("\n".join(Path(TABLE).read_text().splitlines()[:4]))

# %% [markdown]
# ## Say what is public
#
# Privacy protects the records, not the shape of the table, so that shape must not come from the records. A draft does
# come from them, and says so; it is the start of a conversation with the code book.

# %%
draft = data.describe_table(TABLE)
for column in draft.columns:
    print(f"{column.name:10} {column.proposed}")
print("source:", draft.schema.source)

# %% [markdown]
# What the clinic publishes anyway, its departments, opening dates and age limits, makes the schema below. Identifiers
# and remarks are left out. Cells outside are refused with row and column, never with their value.

# %%
schema = data.read_schema(SCHEMA)
records = data.read_codes(TABLE, schema)
print(f"{len(records):,} records of {len(schema.columns)} columns, source: {schema.source}")

# %% [markdown]
# ## Rehearse
#
# `mode="simulate"` costs nothing and protects nobody. It shows what a release would be worth.

# %%
made = sb.synthesize(
    records, schema, mode="simulate", epsilon=1, dp_delta="1e-8", label="readmitted", seed=1
)
print(f"method {made.method}, {len(made.rows):,} rows")
print(f"largest error of a share of one column, certified: {float(max(made.known.one_way)):.4f}")

# %% [markdown]
# The certificate is proved from the noisy numbers alone, so it can be published with the table. The holder of the real
# table can look closer, and sees that the truth is inside.

# %%
certified = [float(value) for value in made.known.one_way]
actual = []
for place, size in enumerate(schema.domain.sizes):
    real, private = (np.bincount(rows[:, place], minlength=size) / len(rows) for rows in (records, made.rows))
    actual.append(float(np.abs(real - private).max()))
figure, axes = plt.subplots(figsize=(7.2, 3.6))
rows = np.arange(len(certified))
axes.barh(rows - 0.2, certified, 0.4, color="C0", label="certified, at most")
axes.barh(rows + 0.2, actual, 0.4, color="C4", hatch="//", edgecolor="white", label="in truth")
axes.set_yticks(rows, schema.names)
axes.invert_yaxis()
axes.set(xlabel="largest error of a share", title="Every column is as near as was proved")
axes.legend()
plt.show()
print("every error is within its certificate:", all(a <= c for a, c in zip(actual, certified, strict=True)))

# %% [markdown]
# ## Look at what models lose

# %%
found = sb.evaluate_table(records, made.rows, schema, label="readmitted", held_out="1/5")
for score in found.scores.rows:
    print(f"{score.learner:20} trained on {score.trained_on:10} AUC {score.auc:.3f}")

# %% [markdown]
# ## Release
#
# The same call with `mode="release"` and an adjacency draws the noise exactly and spends epsilon, once. An account
# remembers it:
#
# ```
# synthbounds account open clinic.account.json --name clinic --adjacency replace-one --epsilon 4 --dp-delta 1e-6
# synthbounds synth clinic.csv --schema clinic.schema.json --method moments --label readmitted --epsilon 1 \
#     --dp-delta 1e-8 --mode release --adjacency replace-one --account clinic.account.json \
#     --synthetic private.csv --report report.html
# ```
#
# [Private tables](../docs/private-tables.md) has the methods, [schemas](../docs/public-schema.md) what public means.
