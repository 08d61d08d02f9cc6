# %% [markdown]
# # How many records do I need?
#
# You hold a table with ten yes/no attributes and want to publish a synthetic one. Every share of records with one or
# two given attributes set should be right to within 0.4, except with probability 0.05, and the release may spend
# epsilon = 0.2. How many records must the table have?
#
# Numbers are exact: text, integers or fractions. A float is taken as its shortest decimal, so 0.2 is one fifth, too.

# %%
import matplotlib.pyplot as plt
import numpy as np

import synthbounds as sb

plt.style.use("notebook.mplstyle")

promise = {"p": 10, "degree": 2, "accuracy": "0.4", "failure": "0.05"}
answer = sb.require(**promise, epsilon="0.2")
print(answer)
print(answer.summary)

# %% [markdown]
# The answer has up to three sizes: `n` records, `m` reference points if a linear programme needs some, and `k`
# synthetic rows. None of them is an estimate. The number of records is proved on both sides: in ball arithmetic, the
# condition of the theorem holds at n and fails one below, and the certificate contains both margins.

# %%
binding = next(term for term in answer.terms if term.quantity == "n" and term.binding)
proof = binding.certificate
print(f"{binding.name}: n = {proof.value:,}")
print(f"margin at n      {float(proof.margin_at_value.lo):+.6f} or more")
print(f"margin at n - 1  {float(proof.margin_below.hi):+.6f} or less")
print(f"no method can do with fewer than {answer.lower_bound.n} records")

# %% [markdown]
# ## What the paper requires
#
# The theorem has three editions: *printed*, as in the paper; *corrected*, the same route with its errors repaired; and
# *sharp*, the best that we can prove. For this theorem of Bojkovic and Loh (2024) the printed sizes are sufficient,
# but far larger than necessary.

# %%
print(f"{'edition':12}{'n':>12}{'m':>16}{'k':>8}")
for edition in ("printed", "corrected", "sharp"):
    found = sb.require(measure="uniform", edition=edition, epsilon="0.2", **promise)
    points = "none" if found.m is None else f"{found.m:,}"
    print(f"{edition:12}{found.n:12,}{points:>16}{found.k:8,}")
for change in sb.theorem("bojkovic2024.uniform").edition("sharp").changes:
    print("-", change)

# %% [markdown]
# ## Over privacy, and over the number of attributes
#
# `sweep_estimates` evaluates a theorem on arrays, in floating point, for pictures like these. The lower bound is a
# statement about every mechanism: below it no mechanism keeps the promise for every table.

# %%
epsilons = np.geomspace(0.05, 5, 25)
delta, gamma = 0.4 / 8, 0.05 / 4  # the paper's names: accuracy 8 delta, failure 4 gamma
figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.9), sharey=True)
for edition in ("printed", "sharp"):
    swept = sb.sweep_estimates(
        "bojkovic2024.uniform",
        edition=edition,
        p=10,
        degree=2,
        epsilon=epsilons,
        delta=delta,
        gamma=gamma,
    )
    left.plot(epsilons, swept.n_est, label=f"{edition} edition")
exact = ["0.05", "0.1", "0.2", "0.5", "1", "2", "5"]
least = [sb.lower_bound(epsilon=e, **promise).n for e in exact]
left.plot([float(e) for e in exact], least, marker="o", label="no method can do with fewer")
left.set(xscale="log", yscale="log", xlabel="epsilon", ylabel="records n", title="Ten attributes")

attributes = range(2, 31, 2)
for edition in ("printed", "sharp"):
    sizes = [
        sb.require(measure="uniform", edition=edition, epsilon="0.2", **{**promise, "p": p}).n
        for p in attributes
    ]
    right.plot(attributes, sizes)
right.plot(
    attributes, [sb.lower_bound(epsilon="0.2", **{**promise, "p": p}).n for p in attributes], marker="o"
)
right.set(xlabel="attributes p", title="epsilon = 0.2")
figure.legend(loc="outside lower center", ncols=3)
plt.show()

# %% [markdown]
# ## The question backwards
#
# More often the table is given. What do its records allow? `solve_for` gives the best value, and proves that a
# slightly better one needs one record more.

# %%
mine = {"n": 5000, "p": 10, "degree": 2, "failure": "0.05"}
privacy = sb.solve_for("epsilon", accuracy="0.4", **mine)
accuracy = sb.solve_for("accuracy", epsilon="0.2", **mine)
degree = sb.solve_for("degree", epsilon="0.2", accuracy="0.4", n=5000, p=10, failure="0.05")
print(f"smallest epsilon for accuracy 0.4:  {float(privacy.value):.6f}")
print(f"best accuracy at epsilon = 0.2:     {float(accuracy.value):.6f}")
print(f"most attributes in one query:       {degree.value}")

# %% [markdown]
# What accuracy do n records buy? A promise is *vacuous* when a table made without looking at the data keeps it, too.
# The answer says so, and why; such promises are left out of the picture.

# %%
sizes = [1000, 3000, 10_000, 30_000, 100_000, 300_000]
figure, axes = plt.subplots()
for epsilon, marker in (("0.1", "o"), ("1", "s")):
    found = [sb.solve_for("accuracy", epsilon=epsilon, **{**mine, "n": n}) for n in sizes]
    kept = [
        (n, float(f.value))
        for n, f in zip(sizes, found, strict=True)
        if not f.requirement.guarantee.vacuous
    ]
    axes.plot(*zip(*kept, strict=True), marker=marker, label=f"epsilon = {epsilon}")
    print(f"epsilon = {epsilon}: a promise from n = {kept[0][0]:,} on, accuracy {kept[0][1]:.3f}")
axes.set(
    xscale="log",
    yscale="log",
    xlabel="records n",
    ylabel="accuracy of every query",
    title="What n records allow",
)
axes.legend()
plt.show()

# %% [markdown]
# ## Where to go
#
# `synthbounds require --help` lists the same questions on the command line. The [editions](../docs/editions.md) say
# what each theorem promises, the [proofs](../docs/proofs/README.md) why. The next notebook trains models on such data;
# the [fourth](04_running_the_algorithm.ipynb) runs the algorithm.
