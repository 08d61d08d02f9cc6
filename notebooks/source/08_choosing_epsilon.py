# %% [markdown]
# # Choosing epsilon
#
# Epsilon is chosen before anything is spent, and from public facts only: the schema and the number of records. No
# table is opened in this notebook; there is none. Two curves decide: what one person risks, and how accurate the
# numbers are.

# %%
import tempfile
from fractions import Fraction
from pathlib import Path

import matplotlib.pyplot as plt

import synthbounds as sb
from synthbounds import data, privacy

plt.style.use("notebook.mplstyle")
schema = data.read_schema("../docs/examples/clinic.schema.json")
N = 5000  # stays a year, as the clinic publishes
print(f"{N:,} records of {len(schema.columns)} columns: {', '.join(schema.names)}")

# %% [markdown]
# ## What one person risks
#
# Suppose that somebody knows every record but one, and everything that is published. Two possibilities are left for
# that record, equally likely. How often is the best guess right? And if one of the two was thought unlikely, how
# likely can it look afterwards? No one can do better than this, whatever else they know or compute.

# %%
EPSILONS = [Fraction(text) for text in ("1/10", "1/5", "1/2", "1", "2", "5", "10")]
where = [float(epsilon) for epsilon in EPSILONS]
meanings = [
    privacy.meaning(privacy.DP(epsilon=epsilon, delta=0, adjacency="replace-one"))
    for epsilon in EPSILONS
]
guesses = [float(found.best_guess.hi) for found in meanings]

figure, axes = plt.subplots()
axes.plot(where, guesses, marker="o", label="a guess between two is right")
for place, marker in ((1, "s"), (0, "^")):
    before = float(meanings[0].suspicions[place].before)
    after = [float(found.suspicions[place].after_at_most.hi) for found in meanings]
    axes.plot(where, after, marker=marker, label=f"a suspicion of {before:.0%} becomes")
axes.set(xscale="log", ylim=(0, 1.02), xlabel="epsilon", ylabel="probability, at most")
axes.set_title("What one person risks")
axes.set_xticks(where, [str(epsilon) for epsilon in EPSILONS])
axes.minorticks_off()
axes.legend()
plt.show()
for epsilon, found in zip(EPSILONS, meanings, strict=True):
    rare = float(found.suspicions[0].after_at_most.hi)
    print(
        f"epsilon {epsilon!s:>4}: a guess is right {float(found.best_guess.hi):.1%}, 1% becomes {rare:.1%}"
    )

# %% [markdown]
# Up to epsilon 1, a doubt remains a doubt. At 10 hardly anything is left of the promise. (With a delta the odds can
# exceed this with a small probability; `privacy.meaning` gives it.)
#
# ## How accurate the numbers are
#
# `plan_release` computes the noise of every method, so it can say how far the numbers will be from the truth before
# they exist: all shares at once, except with probability 0.05, for any table that fits the schema. Delta is 1/n^2.

# %%
plan = sb.plan_release(schema, n=N)
axes = plan.plot()
names = [line.get_label().removeprefix("method ") for line in axes.get_lines()]
axes.legend(
    axes.get_lines(), [name.split(",")[0] + (", with a delta" * ("," in name)) for name in names]
)
axes.set(ylim=(None, 1), ylabel="largest error, certified", title="Shares of two columns together")
plt.show()
for kind in ("one-way", "two-way"):
    found = plan.best(kind, pure=False)
    print(
        f"best with a delta for {kind} shares at epsilon 1: {found.method}, within {float(found.error(kind)):.4f}"
    )

# %% [markdown]
# The choice of method matters as much as epsilon: the error that tables of all pairs reach at epsilon 1 with Gaussian
# noise, which needs a delta, they reach only at about 3 without a delta.
#
# ## One against the other
#
# Take the best method for two columns at every epsilon, and plot its error over the risk of one person. This is the
# exchange rate, and it depends on how many people share the burden. (The deltas are too small to be visible.)

# %%


def best_error(found, epsilon):
    """The least error that any method promises; nan if none does."""
    errors = [
        found.at(method, epsilon, pure=False).error("two-way") for method in ("marginals", "gen", "lp")
    ]
    return min((float(error) for error in errors if error is not None), default=float("nan"))


figure, axes = plt.subplots()
for n, marker in ((500, "o"), (N, "s"), (50_000, "^")):
    found = plan if n == N else sb.plan_release(schema, n=n)
    errors = [best_error(found, epsilon) for epsilon in EPSILONS]
    axes.plot(guesses, errors, marker=marker, label=f"{n:,} records")
for guess, epsilon, error in zip(guesses, EPSILONS, errors, strict=True):
    axes.annotate(
        f"{epsilon}", (guess, error), (-3, -12), textcoords="offset points", ha="right", fontsize=8
    )
axes.set(
    yscale="log",
    xlim=(0.49, None),
    ylim=(2e-4, 1),
    xlabel="a guess about one person is right, at most",
    ylabel="error of two-way shares",
)
axes.set_title("The exchange rate; epsilon at the lowest curve")
axes.legend()
plt.show()

# %% [markdown]
# The curves are steep at both ends. On the left a little risk buys much accuracy; on the right there is nothing more
# to lose, since a guess is right anyway. Sensible choices lie in between. With ten times the records, errors are ten
# times smaller at the same risk for everybody.
#
# ## Ask for the accuracy you need
#
# It is better to start from the use of the numbers than from a feeling for epsilon. Shares of two columns are wanted
# to within three hundredths: which epsilon is enough? And if the clinic insists on epsilon 1/2, how many records? Both
# answers are certified, and the next smaller one is certified to be too small.

# %%
needed = sb.plan_release(schema, n=N, error="0.03", of="two-way").least(pure=False)
print(
    f"epsilon {float(needed.value)} is enough for {N:,} records, by {needed.method}; {float(needed.neighbour)} is not"
)
pooled = sb.plan_release(schema, epsilon="1/2", error="0.03", of="two-way").least(pure=False)
print(
    f"{int(pooled.value):,} records are enough at epsilon 1/2, by {pooled.method}; {int(pooled.neighbour):,} are not"
)

# %% [markdown]
# ## Keep an account
#
# What protects people is not the epsilon of one release but the total over all of them. The clinic decides how much
# may ever be released about this year's patients, and every release is recorded before its noise is drawn. Costs are
# counted in rho, in which they add up. Suppose that three tables are wanted, at epsilon 1 each.

# %%
same = {"dp_delta": "1e-6", "adjacency": "replace-one"}
with tempfile.TemporaryDirectory() as folder:
    account = sb.open_account(
        Path(folder, "clinic.json"), name="patients of this year", epsilon=3, **same
    )
ledger = account.ledger
cost = ledger.statement(privacy.largest_rho(epsilon=1, **same).safe_rho)
for what in ("for researchers", "for the ministry", "for the press"):
    ledger = ledger.spend(cost, what)
    together = privacy.zcdp_epsilon(ledger.statement(ledger.spent), dp_delta="1e-6").epsilon
    used = float(ledger.spent / ledger.total)
    print(f"a table {what:17} {used:5.1%} spent, together epsilon {float(together.hi):.2f}")
more = ledger.statement(privacy.largest_rho(epsilon=3, **same).safe_rho)
print(f"then one at epsilon 3: {'granted' if ledger.affords(more) else 'refused'}")

# %% [markdown]
# Three times one is less than three: with such noise epsilon grows about as the root of the number of releases. A
# release that costs more than the account has left is refused before any noise is drawn.
#
# On the command line: `synthbounds plan`, and `synthbounds account`. [Planning](../docs/planning.md) says what the
# errors mean, [accounts](../docs/accounts.md) what an account can know and what it cannot. The [previous
# notebook](07_from_raw_to_private.ipynb) shows how such a release is rehearsed and made.
