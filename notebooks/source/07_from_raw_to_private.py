# %% [markdown]
# # From a raw table to a private one
#
# A clinic has a typical table of admissions, with dates, gaps, identifiers and free text. It wants to share one that
# has the same columns and protects every patient. What must it do, and how much of the table's information remains?
# (The clinic is made up.)

# %%
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import synthbounds as sb
from synthbounds import data

plt.style.use("notebook.mplstyle")
TABLE, SCHEMA = "../docs/examples/clinic.csv", "../docs/examples/clinic.schema.json"
print("\n".join(Path(TABLE).read_text().splitlines()[:6]))

# %% [markdown]
# ## Say what is public
#
# Privacy protects the records. The shape of the table is published, so it must not come from the records. A draft does
# come from them, which is why it stays with the clinic: look at what it has learned about single patients.

# %%
draft = data.describe_table(TABLE)
for column in draft.columns:
    gaps = f", {column.missing} gaps" if column.missing else ""
    print(f"{column.name:11}{column.kind:12}{column.why}{gaps}")
print(f"\nThe source of this schema is: {draft.schema.source}.")

# %% [markdown]
# The draft tells the clinic what it must decide. The clinic's answers come from the protocol of the study, which
# anyone can read: the two years, the list of wards, ages in bands, how a gap is written. Identifiers and remarks are
# left out. One ward is on the list although nobody was there; only the synthetic table may say so.

# %%
schema = data.read_schema(SCHEMA)
records = data.read_codes(TABLE, schema)
print(f"{len(records)} records, source: {schema.source}")
for column, code in zip(schema.columns, records[0], strict=True):
    print(f"{column.name:11}{column.texts[code]:18} one of {len(column.texts)}")

# %% [markdown]
# ## Rehearse
#
# `mode="simulate"` protects nobody, but shows how good a release would be. Its certificate is proved from the noisy
# numbers alone: with confidence 95 %, no share of any column is farther from the real one than certified. Only the
# clinic has the real table and can compare, and these pictures stay there.

# %%


def rehearse(epsilon):
    return sb.synthesize(
        records, schema, mode="simulate", epsilon=epsilon, dp_delta="1e-6", label="readmitted", seed=2
    )


def shares(rows, place):
    return np.bincount(rows[:, place], minlength=schema.domain.sizes[place]) / len(rows)


def worst(rows):
    places = range(len(schema.columns))
    return max(np.abs(shares(records, place) - shares(rows, place)).max() for place in places)


epsilons = [1, 2, 4, 8]
made = {epsilon: rehearse(epsilon) for epsilon in epsilons}
certified = [float(max(made[epsilon].known.one_way)) for epsilon in epsilons]
actual = [worst(made[epsilon].rows) for epsilon in epsilons]
figure, axes = plt.subplots()
axes.plot(epsilons, certified, marker="o", label="certified, at most")
axes.plot(epsilons, actual, marker="s", label="true")
axes.set(xscale="log", ylim=(0, None), xlabel="epsilon", ylabel="largest error of a share")
axes.set_title(f"Errors with {len(records)} records")
axes.set_xticks(epsilons, epsilons)
axes.minorticks_off()
axes.legend()
plt.show()
for epsilon, most, found in zip(epsilons, certified, actual, strict=True):
    print(f"epsilon {epsilon}: certified within {most:.3f}, true error {found:.3f}")

# %% [markdown]
# For a table this small, that is the choice: strong privacy and little else, or useful shares and weaker privacy. The
# [next notebook](08_choosing_epsilon.ipynb) is about choosing before any table is opened.
#
# ## Dates and gaps
#
# The plots show three columns at epsilon 4. Gaps are values like any others: their number is private, and is kept as
# accurately as the rest.

# %%
chosen = made[4]
columns = {
    "admitted": "quarter of admission",
    "bmi": "body mass index",
    "pain": "pain, 0 to 10",
}
names = {
    "admitted": [f"{year} Q{quarter}" for year in ("'23", "'24") for quarter in (1, 2, 3, 4)],
    "bmi": ["to 18.5", "to 25", "to 30", "to 35", "more", "gap"],
    "pain": [*range(11), "gap"],
}
figure, panels = plt.subplots(1, 3, figsize=(10.5, 3.8), sharey=True)
for panel, (name, title) in zip(panels, columns.items(), strict=True):
    place = schema.names.index(name)
    real, private = shares(records, place), shares(chosen.rows, place)
    where, reach = np.arange(len(real)), float(chosen.known.one_way[place])
    low, high = np.clip([private - reach, private + reach], 0, 1)
    panel.bar(
        where, high - low, bottom=low, width=0.8, color="0.88", label="certified for the real share"
    )
    panel.plot(where, private, "o", color="C0", linestyle="none", label="synthetic table")
    panel.plot(where, real, "x", color="C1", linestyle="none", markeredgewidth=2, label="real table")
    panel.set_xticks(where, names[name], rotation=60, ha="right", rotation_mode="anchor")
    panel.set_title(title)
panels[0].set(ylim=(-0.012, None), ylabel="share of records")
handles, labels = panels[0].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside lower center", ncols=3)
plt.show()

# %% [markdown]
# ## The file
#
# The output is a table like the input, without the columns that were left out. A day stands for its quarter, a number
# for its band, and gaps replace `NA` and `?`. Its rows were made from noisy numbers; none is anybody's record.

# %%
with tempfile.TemporaryDirectory() as folder:
    target = Path(folder, "private.csv")
    with data.Outputs() as outputs:
        data.write_table(outputs, target, chosen.rows, schema)
    again = data.read_codes(target, schema)
    print("\n".join(target.read_text().splitlines()[:9]))
print("\nread back by the same schema, unchanged:", np.array_equal(again, chosen.rows))

# %% [markdown]
# ## Release
#
# A real release is the same call with `mode="release"`: noise is drawn exactly, from the system's randomness, and
# epsilon is spent for good. On the command line, with an account that records it:
#
# ```
# synthbounds account open clinic.json --name "patients of the clinic" --adjacency replace-one \
#     --epsilon 8 --dp-delta 1e-6
# synthbounds synth clinic.csv --schema clinic.schema.json --label readmitted --epsilon 4 --dp-delta 1e-6 \
#     --mode release --adjacency replace-one --account clinic.json --synthetic private.csv
# ```
#
# [Private tables](../docs/private-tables.md) describes the methods, [schemas](../docs/public-schema.md) what public
# means.
