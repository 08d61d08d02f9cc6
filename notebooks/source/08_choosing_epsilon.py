# %% [markdown]
# # Choosing epsilon
#
# Epsilon is chosen before anything is spent, from public facts alone: the schema, the number of records, and what the
# answer is for. Two curves decide: what a person risks, and what the numbers are worth.

# %%
from fractions import Fraction

import matplotlib.pyplot as plt

import synthbounds as sb
from synthbounds import privacy

plt.style.use("notebook.mplstyle")
EPSILONS = ["1/10", "1/5", "1/2", "1", "2", "5", "10"]
where = [float(Fraction(epsilon)) for epsilon in EPSILONS]

# %% [markdown]
# ## What a person risks
#
# Somebody knows every record but one, and has narrowed that one down to two possibilities, equally likely. How often
# is their best guess right, once the release is out?

# %%
from bounds.enclosure import Enclosure

guesses = []
for epsilon in EPSILONS:
    statement = privacy.DP(
        epsilon=Enclosure.of(Fraction(epsilon)),
        delta=Enclosure.of(Fraction(0)),
        adjacency=privacy.Adjacency.REPLACE_ONE,
    )
    guesses.append(float(privacy.meaning(statement).best_guess.hi))
for epsilon, guess in zip(EPSILONS, guesses, strict=True):
    print(f"epsilon {epsilon:>4}: right at most {guess:.1%} of the time")
