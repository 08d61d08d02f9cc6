# %% [markdown]
# # Any model, certified
#
# A hospital has a table of treated patients that nobody else may see, and a model of it that is not linear: boosted
# trees of scikit-learn. Anyone who is asked to trust the model wants to know how good it is *on that table*, and
# whether something simpler would have been enough. Certificates from moments are for linear models. For any other
# model one question to the table is enough, about the model's prediction for each patient. (The patients are made up.)

# %%
from fractions import Fraction
from math import comb

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import GradientBoostingClassifier

import synthbounds as sb
from synthbounds import data, models

plt.style.use("notebook.mplstyle")
schema = data.parse_schema("""{"synthbounds_schema": 1, "source": "public", "columns": [
    {"name": "age", "range": ["20", "80"], "bins": 12},
    {"name": "dose", "range": ["0", "100"], "bins": 10},
    {"name": "pulse", "range": ["40", "120"], "bins": 8},
    {"name": "smoker", "levels": ["no", "yes"]},
    {"name": "better", "levels": ["no", "yes"]}]}""")


def chance(age, dose, smoker):
    """The chance of getting better: the older a patient, the smaller the right dose."""
    return 1 / (1 + np.exp(-1.6 + 0.28 * (dose - 8 + age * 6 / 11) ** 2 + 0.6 * smoker))


rng = np.random.default_rng(9)
n = 30_000
age, dose = rng.integers(0, 12, n), rng.integers(0, 10, n)
pulse, smoker = rng.binomial(7, 0.5, n), rng.integers(0, 4, n) // 3
better = (rng.random(n) < chance(age, dose, smoker)).astype(int)
table = np.column_stack([age, dose, pulse, smoker, better])
print(f"{n:,} patients, {better.mean():.1%} got better")

# %% [markdown]
# ## The model
#
# The trees are trained on the table itself, and so is the best linear model of norm 10, for comparison. Neither is
# private: the query below protects the patients *given* the model, and does not make the model safe to publish.

# %%
known = table[:, :-1]
trees = GradientBoostingClassifier(n_estimators=60, max_depth=3, random_state=0).fit(known, better)
predictions = trees.predict_proba(known)[:, 1]

features = models.build_feature_map(schema, label="better")
linear = models.train_on_table(table, features, tau=10)
weights = np.array([float(c) for c in linear.coefficients])


def by_linear(rows):
    return 1 / (1 + np.exp(-features.features(rows) / features.one @ weights))


grid = np.array([[a, d, 3, 0, 0] for d in range(10) for a in range(12)])
pictures = {
    "truth": chance(grid[:, 0], grid[:, 1], 0),
    "boosted trees": trees.predict_proba(grid[:, :-1])[:, 1],
    "best linear model": by_linear(grid),
}
figure, panels = plt.subplots(1, 3, figsize=(9.5, 3.4), sharey=True)
for panel, (name, values) in zip(panels, pictures.items(), strict=True):
    shown = panel.imshow(
        values.reshape(10, 12),
        origin="lower",
        aspect="auto",
        extent=(20, 80, 0, 100),
        vmin=0,
        vmax=1,
        cmap="cividis",
    )
    panel.set(title=name, xlabel="age")
    panel.grid(visible=False)
panels[0].set_ylabel("dose")
figure.colorbar(shown, ax=panels, label="chance of getting better")
plt.show()

# %% [markdown]
# ## One release, one question
#
# The hospital publishes *floors* once: noisy least losses of linear models of three norms, with which any model can be
# compared. Half of the budget is kept and pays for the question about the trees. Epsilon is 1 for both together.
# (`mode="simulate"` makes this repeatable.)

# %%
TAUS = ["1/2", "2", "10"]


def ask(epsilon, seed):
    release = sb.release_floors(
        table,
        schema,
        label="better",
        tau=TAUS,
        mode="simulate",
        epsilon=epsilon,
        dp_delta="1e-9",
        reserve="1/2",
        seed=seed,
    )
    return release, sb.confirm_predictions(
        table, release, predictions, model_from="table", loss="log", seed=seed
    )


release, asked = ask(1, seed=1)
print(f"known before the question: the answer is within {float(asked.half_width):.4f}")

# %% [markdown]
# The query and the release are files that may be published. Anyone who has both can prove the same again, without the
# table.

# %%
proved = sb.certify_predictions(release, asked.booking.query)
print(f"mean log loss of the trees: {float(proved.value.lo):.4f} to {float(proved.value.hi):.4f}")
for other in proved.floors:
    ahead = -float(other.difference.hi)
    print(f"better than every linear model of norm {other.tau!s:>3} by {ahead:.4f} or more")
print(
    f"better than every constant prediction by {float(proved.gain):.4f} or more: {proved.verdict.word}"
)

# %% [markdown]
# ## Compare with the truth
#
# We open the table. Every interval should contain the true value, and all of them at once, except with probability
# 0.05. The line is the score of the true chances, the loss that no prediction beats except by luck.

# %%


def log_loss(chances):
    kept = np.clip(chances, 0.01, 0.99)
    return -np.log(np.where(better == 1, kept, 1 - kept)).mean()


def least_loss(tau):
    found = models.train_on_table(table, features, tau=Fraction(tau)).coefficients
    scores = features.features(table) / features.one @ np.array([float(c) for c in found])
    return np.logaddexp(0, -features.labels(table) * scores).mean()


rows = [
    (f"linear, norm {tau}", f.floor, least_loss(tau))
    for tau, f in zip(TAUS, proved.floors, strict=True)
]
rows.append(("boosted trees", proved.value, log_loss(predictions)))
figure, axes = plt.subplots(figsize=(7.2, 2.8))
low = np.array([float(interval.lo) for _, interval, _ in rows])
high = np.array([float(interval.hi) for _, interval, _ in rows])
axes.barh(range(len(rows)), high - low, left=low, height=0.4, alpha=0.6, label="certified")
axes.plot(
    [truth for _, _, truth in rows],
    range(len(rows)),
    "x",
    color="black",
    markersize=8,
    label="true",
)
axes.axvline(log_loss(chance(age, dose, smoker)), color="C2", linestyle="-.", label="the true chances")
axes.set_yticks(range(len(rows)), [name for name, _, _ in rows])
axes.set_ylim(-0.6, len(rows) - 0.4)
axes.set(xlabel="mean log loss on the table", title="No linear model comes near", xlim=(0.38, None))
axes.legend(loc="center")
plt.show()
print("every interval contains the true value:", all(i.lo <= Fraction(t) <= i.hi for _, i, t in rows))

# %% [markdown]
# ## How much budget is needed?
#
# The noise is added to one sum over all patients, so the question is cheap. Even at a small epsilon the trees are
# certified to be better than every linear model.

# %%
epsilons = ["1/20", "1/10", "1/5", "1/2", "1", "2"]
where = [float(Fraction(epsilon)) for epsilon in epsilons]
answers = [ask(epsilon, seed)[1].scored for seed, epsilon in enumerate(epsilons)]
figure, axes = plt.subplots()
for color, values, truth, name in (
    ("C1", [one.floors[-1].floor for one in answers], rows[-2][2], "best linear model of norm 10"),
    ("C0", [one.value for one in answers], rows[-1][2], "boosted trees"),
):
    low, high = ([float(v.lo) for v in values], [float(v.hi) for v in values])
    axes.fill_between(where, low, high, color=color, alpha=0.3, label=f"{name}, certified")
    axes.axhline(truth, color=color, label=f"{name}, true")
axes.set(
    xscale="log",
    xlabel="epsilon in total",
    ylabel="mean log loss",
    title="Told apart with a small budget",
)
axes.set_xticks(where, epsilons)
axes.minorticks_off()
axes.legend()
plt.show()
for epsilon, one in zip(epsilons, answers, strict=True):
    print(
        f"epsilon {epsilon:>4}: ahead of the best linear model by {-float(one.floors[-1].difference.hi):+.4f} or more"
    )

# %% [markdown]
# ## Certified is not certain
#
# Look closely at epsilon 1/2: the line leaves the band. Each answer may miss with probability 0.05, and among six this
# can happen. A simulation, where the same question may be asked a hundred times with new noise, shows how often it
# does. In a release the question is asked once.

# %%
half = ask("1/2", seed=3)[0]
again = [
    sb.confirm_predictions(
        table, half, predictions, model_from="table", loss="log", seed=seed
    ).scored.value
    for seed in range(100)
]
truth = Fraction(log_loss(predictions))
misses = np.array([not one.lo <= truth <= one.hi for one in again])
ends = np.array([[float(one.lo), float(one.hi)] for one in again])
figure, axes = plt.subplots(figsize=(7.2, 3.2))
for chosen, color, name in ((~misses, "C0", "contains the true value"), (misses, "C1", "misses")):
    axes.vlines(np.flatnonzero(chosen), *ends[chosen].T, color=color, linewidth=2.5, label=name)
axes.axhline(float(truth), color="black", linewidth=1, linestyle="-")
axes.set(xlabel="answer", ylabel="mean log loss of the trees", title="A hundred answers at epsilon 1/2")
figure.legend(loc="outside lower center", ncols=2)
plt.show()
this_many = sum(comb(100, k) * 0.05**k * 0.95 ** (100 - k) for k in range(misses.sum(), 101))
print(
    f"{misses.sum()} of {len(again)} answers miss; at 0.05 each, this many or more have probability {this_many:.2f}"
)

# %% [markdown]
# Questions about error rates, areas under the curve and calibration work in the same way, and the same query can
# choose the best of several models. On the command line: `synthbounds release floors`, then `confirm --predictions`.
# [Any model](../docs/any-model.md) describes the questions and the rules for predictions.
