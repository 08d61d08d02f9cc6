# %% [markdown]
# # How good is a model trained on synthetic data?
#
# A logistic regression is trained on private synthetic data and used on the real data. Its *excess risk* is its mean
# loss on the real records minus that of the best model of the same class. Zhou et al. (2024) bound it by the distance
# between the marginals of the two tables. How large is the bound, how many records make it small, and how large is the
# true excess risk?

# %%
from fractions import Fraction
from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np

import synthbounds as sb
from synthbounds import data, models

plt.style.use("notebook.mplstyle")

question = {"features": 10, "radius": 1, "epsilon": 1, "dp_delta": "1e-6", "failure": "0.01"}
answer = sb.risk(**question, target="0.1")
print(answer)
print(f"route: {answer.route}; marginals are off by at most {float(answer.marginal_error.hi):.4f}")
for part in answer.parts:
    print(f"  {part.name:24}{float(part.value.hi):.6f}")
print(f"some data with such marginals have an excess of {float(answer.floor.value.lo):.6f}")

# %% [markdown]
# Ten features with the values -1 and 1, models with $|w|_1 \le 1$, a release with epsilon = 1. The bound has two
# parts: one because marginals determine only a polynomial approximation of the loss, and one for the noise of the
# marginals.
#
# ## Over the number of records
#
# The floor is not a weakness of our analysis: there are data with marginals that close, and an excess that large. No
# bound that uses only the distance of the marginals gets below it. Publishing the sums of $x_i y$ and $x_i x_j$
# instead of marginals is a different release: it needs fewer records, until its bound levels off at the error of a
# polynomial of degree two. With marginals of more columns the bound keeps falling, because they determine polynomials
# of higher degree.

# %%
sizes = [1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000]
marginals = [sb.risk(**question, n=n) for n in sizes]
moments = [sb.risk(release="moments", **question, n=n) for n in sizes]
trivial = float(marginals[0].trivial.hi)

figure, axes = plt.subplots(figsize=(7.2, 4.2))
axes.plot(sizes, [float(a.bound.hi) for a in marginals], marker="o", label="bound, private marginals")
axes.plot(sizes, [float(a.bound.hi) for a in moments], marker="s", label="bound, private moments")
axes.plot(
    sizes,
    [float(a.floor.value.lo) for a in marginals],
    marker="v",
    label="some data with such marginals",
)
axes.axhline(trivial, color="0.4", linewidth=1, label="true without any data")
axes.set(
    xscale="log",
    yscale="log",
    xlabel="records n",
    ylabel="excess risk",
    title="Certified bounds, epsilon = 1",
)
axes.legend()
plt.show()
for target in ("0.1", "0.01"):
    needed = [sb.risk(release=kind, **question, target=target).n for kind in ("marginals", "moments")]
    print(f"excess at most {target}: n = {needed[0]:,} with marginals, n = {needed[1]:,} with moments")

# %% [markdown]
# ## What the paper's own route gives
#
# Here are all theorems for the same question, with the constants that their proofs imply. If a route cannot reach the
# target with any number of records, the table says so.

# %%
for row in sb.compare_risk(**question, target="0.5"):
    found = "no number of records is enough" if row.answer is None else f"n = {float(row.answer.n):.3g}"
    print(f"{row.theorem:28}{row.edition:11}{found}")

# %% [markdown]
# ## Against the truth
#
# Bounds are promises for the worst data. Here are 5,000 made-up records, ten features and a label, and the private
# synthetic tables that the algorithm of Boedihardjo, Strohmer and Vershynin makes from them. We train on each, and
# compare with the real table: the distance of its marginals, and the true excess risk of the model. (Only the steward
# could do this; this is a study, and its noise is simulated.)

# %%
random = np.random.default_rng(2024)
n, m = 5000, 10
columns = random.random((n, m)) < np.linspace(0.3, 0.7, m)
columns[:, 1] = np.where(
    random.random(n) < 0.7, columns[:, 0], columns[:, 1]
)  # the first two go together
slopes = np.array([1.5, -1, 0.8, -0.6, 0.4, 0, 0, 0, 0, 0])
label = random.random(n) < 1 / (1 + np.exp(-(2 * columns - 1) @ slopes))
table = np.column_stack([columns, label]).astype(np.int64)

levels = ", ".join(
    f'{{"name": "{name}", "levels": ["no", "yes"]}}' for name in [*(f"x{i}" for i in range(m)), "label"]
)
schema = data.parse_schema(f'{{"synthbounds_schema": 1, "source": "public", "columns": [{levels}]}}')
features = models.build_feature_map(schema, label="label")
R = 1  # scores of the models lie in [-1, 1]


def mean_loss(coefficients, records):
    scores = features.features(records) @ np.array([float(c) for c in coefficients]) / features.one
    return np.logaddexp(0, -features.labels(records) * scores).mean()


def distance(one, other):
    """The largest L1 distance of two tables of two columns, as shares of the records."""
    a, b = (data.count_marginals(records, schema.domain.sizes, 2) for records in (one, other))
    pairs = combinations(range(m + 1), 2)
    return max(np.abs(a[pair] / len(one) - b[pair] / len(other)).sum() for pair in pairs)


best = models.train_on_table(table, features, tau=R)
print(f"{n:,} records; the best model of norm at most {R} has a mean loss of {best.risk_est:.4f}")

# %% [markdown]
# The intercept is one more feature, whose value is always 1: eleven features, and scores of at most $R$ for models
# with $|w|_2 \le R/\sqrt{11}$.

# %%
epsilons = ["1/4", "1/2", "1", "2", "4", "8", "16"]
rows = []
for epsilon in epsilons:
    synthetic = data.synthesize(
        table,
        schema.domain,
        epsilon=epsilon,
        family="cells",
        degree=2,
        mode="simulate",
        seed=3,
        anyway=True,
    ).rows
    trained = models.train_on_table(synthetic, features, tau=R)
    s = distance(table, synthetic)
    bound = sb.risk(features=m + 1, radius=R, marginals=2, marginal_error=f"{s:.6f}")
    truth = mean_loss(trained.coefficients, table) - best.risk_est
    rows.append((float(bound.bound.hi), float(bound.floor.value.lo), truth))
    print(
        f"epsilon {epsilon:>4}: marginals off by {s:.3f}, bound {rows[-1][0]:.3f}, "
        f"true excess {truth:.5f}"
    )

# %%
figure, axes = plt.subplots(figsize=(7.2, 4.2))
where = [float(Fraction(epsilon)) for epsilon in epsilons]
names = (
    "bound for that distance of the marginals",
    "some data at that distance",
    "these data, true excess",
)
for values, marker, name in zip(zip(*rows, strict=True), "ovs", names, strict=True):
    axes.plot(where, values, marker=marker, label=name)
axes.axhline(trivial, color="0.4", linewidth=1, label="true without any data")
axes.set(xscale="log", yscale="log", xlabel="epsilon of the synthetic table", ylabel="excess risk")
axes.set_xticks(where, epsilons)
axes.minorticks_off()
axes.set_title(f"A model trained on synthetic data, {n:,} real records")
axes.legend(loc="lower left")
plt.show()

# %% [markdown]
# The true excess is far below the bound: these data are not the worst ones, and a model does not meet all errors of
# the marginals at once. A bound from a distance alone cannot reflect that. The [fifth
# notebook](05_certifying_a_model.ipynb) certifies the model that was trained, from the release it was trained on, and
# comes much closer.
