# %% [markdown]
# # Running the algorithm and watching the bound
#
# Algorithm 1 of Bojkovic and Loh (2024), which goes back to Boedihardjo, Strohmer and Vershynin, has four steps:
# count, add noise once, find a density on the points of the domain whose answers are nearest to the noisy ones, and
# draw rows from it. Two numbers come with every run: the error *promised* before any noise was drawn, and the error
# *certified* afterwards, when the distance to the noisy answers is known. Only the steward can see a third one, the
# *true* error.
#
# The survey in `docs/examples` is made up. The schema is public: it says which values are possible, not which occur.

# %%
import re

import matplotlib.pyplot as plt
import numpy as np

import synthbounds as sb
from synthbounds import data

plt.style.use("notebook.mplstyle")

schema = data.read_schema("../docs/examples/survey.schema.json")
table = data.read_codes("../docs/examples/survey.csv", schema)
queries = data.build_family("cells", schema.domain, 2)
print(
    f"{len(table):,} records, {schema.domain.p} columns, "
    f"{queries.count} cells of tables of up to two columns"
)
for column in schema.columns:
    print(f"  {column.name:10}{', '.join(column.texts)}")

# %% [markdown]
# ## Before anything is spent
#
# The plan is made from public numbers. If it cannot promise the requested accuracy, the run stops there.

# %%
try:
    data.synthesize(table, schema.domain, epsilon=1, accuracy="0.05", mode="simulate", seed=1)
except sb.SynthboundsError as refusal:
    print(refusal)

# %% [markdown]
# ## One run
#
# `mode="simulate"` draws noise that can be repeated, for study. For publication, noise is drawn exactly, with
# `mode="release"`, from the operating system's randomness. The programme has one column for every point of the domain;
# the solver uses a few of them at a time, and after each round it has bounds on the optimum from both sides. Many
# densities are nearly as close. Rows, as many as there are records, are drawn from one that is unique and has weight
# on every point; `rows="rounding"` takes a vertex instead, which has few distinct rows.

# %%
rounds = []
drawn = {"mode": "simulate"}
run = data.synthesize(table, schema.domain, epsilon=1, seed=1, progress=rounds.append, **drawn)


def answers(records):
    return np.array(data.family_sums(queries, records)) / (len(records) * queries.denominator)


truth = np.abs(answers(run.rows) - answers(table)).max()
print(f"{len(run.rows)} synthetic rows from {run.columns:,} points")
print(f"promised   {float(run.plan.promise.accuracy):.6f}")
seen, noise = float(run.observed), float(run.plan.noise.quantile)
print(f"certified  {float(run.accuracy):.6f} = {seen:.6f} observed + {noise:.6f} of noise")
print(f"true       {truth:.6f}")
print(f"the programme is solved to within 1e-9: {run.gap < 1e-9}, proved in integers")

# %%
brackets = np.array(re.findall(r"within (\S+) \.\. (\S+)", "\n".join(rounds)), dtype=float)
steps = np.arange(1, len(brackets) + 1)
figure, axes = plt.subplots(figsize=(7.2, 3.4))
axes.fill_between(steps, brackets[:, 0], brackets[:, 1], alpha=0.2)
axes.plot(steps, brackets[:, 1], marker="v", label="some density is this close")
axes.plot(steps, brackets[:, 0], marker="^", label="no density is closer")
axes.set(xlabel="round of the solver", ylabel="distance to the noisy answers", xticks=steps)
axes.set(title="The optimum, from both sides", ylim=(0, None))
axes.legend()
plt.show()

# %% [markdown]
# ## What the table looks like
#
# Real and synthetic shares of a few cells are shown here. Whiskers are the certified error, which holds for all cells
# at once.

# %%
names = [column.name for column in schema.columns]
pairs = [("smoker", "exercise"), ("region", "insured")]
real, made = (data.count_marginals(records, schema.domain.sizes, 2) for records in (table, run.rows))
figure, panels = plt.subplots(1, 2, figsize=(9.5, 3.9), sharey=True)
for panel, pair in zip(panels, pairs, strict=True):
    axis = tuple(names.index(name) for name in pair)
    texts = [schema.columns[i].texts for i in axis]
    labels = [f"{a}\n{b}" for a in texts[0] for b in texts[1]]
    where = np.arange(len(labels))
    synthetic, far = made[axis].ravel() / len(run.rows), float(run.accuracy)
    whiskers = [np.minimum(synthetic, far), np.full(len(where), far)]  # no share is below zero
    panel.bar(where - 0.2, real[axis].ravel() / len(table), 0.4, label="real", color="C0")
    panel.bar(where + 0.2, synthetic, 0.4, label="synthetic", color="C4", hatch="//", edgecolor="white")
    panel.errorbar(where + 0.2, synthetic, whiskers, fmt="none", ecolor="0.3", capsize=3, linewidth=1)
    panel.set_xticks(where, labels)
    panel.set_title(f"{pair[0]} and {pair[1]}")
panels[0].set_ylabel("share of records")
panels[0].legend()
plt.show()

# %% [markdown]
# ## Watching the bound
#
# The plots show the three numbers over epsilon, and over forty runs at epsilon = 1. The certificate may fail in one
# run of twenty; because it must hold for every table and nearly all noise, most runs stay well below it.

# %%
epsilons = ["1/4", "1/2", "1", "2", "4", "8", "16"]


def three(**choices):
    made = data.synthesize(table, schema.domain, anyway=True, **drawn, **choices)
    return (
        float(made.plan.promise.accuracy),
        float(made.accuracy),
        np.abs(answers(made.rows) - answers(table)).max(),
    )


over_epsilon = np.array([three(epsilon=epsilon, seed=1) for epsilon in epsilons])
runs = np.array([three(epsilon=1, seed=seed) for seed in range(40)])

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4))
where = [0.25, 0.5, 1, 2, 4, 8, 16]
for values, marker, name in zip(over_epsilon.T, "o^s", ("promised", "certified", "true"), strict=True):
    left.plot(where, values, marker=marker, label=name)
left.set(
    xscale="log", yscale="log", xlabel="epsilon", ylabel="largest error of a cell", title="One run each"
)
left.set_xticks(where, epsilons)
left.minorticks_off()
left.legend()
order = np.argsort(runs[:, 2])
right.axhline(runs[0, 0], color="C0", label="promised")
right.plot(runs[order, 1], "^", color="C1", label="certified")
right.plot(runs[order, 2], "s", color="C2", label="true")
right.set(xlabel="forty runs, by their error", title="epsilon = 1", ylim=(0, None))
plt.show()
print(
    f"runs in which the true error is above the certificate: "
    f"{(runs[:, 2] > runs[:, 1]).sum()} of {len(runs)}"
)
print(
    f"on average {runs[:, 2].mean():.2f} true, {runs[:, 1].mean():.2f} certified, "
    f"{runs[0, 0]:.2f} promised"
)

# %% [markdown]
# ## How many synthetic rows?
#
# Few rows cannot follow the density closely. The promise must allow for the worst density; the certificate uses the
# rows that were drawn.

# %%
sizes = [50, 100, 200, 500, 1000, 2000, 5000]
over_k = np.array([three(epsilon=4, seed=1, k=k) for k in sizes])
figure, axes = plt.subplots()
for values, marker, name in zip(over_k.T, "o^s", ("promised", "certified", "true"), strict=True):
    axes.plot(sizes, values, marker=marker, label=name)
axes.set(
    xscale="log",
    yscale="log",
    xlabel="synthetic rows k",
    ylabel="largest error of a cell",
    title="epsilon = 4",
)
axes.set_xticks(sizes, [f"{k:,}" for k in sizes])
axes.set_yticks([0.03, 0.1, 0.3], ["0.03", "0.1", "0.3"])
axes.minorticks_off()
axes.legend()
plt.show()

# %% [markdown]
# Beyond some size more rows contain no more information: the error is that of the noise. `synthbounds synth` runs the
# same algorithm from the command line and writes the table. [Synthetic tables](../docs/synthesis.md) describes each
# step and what is trusted.
