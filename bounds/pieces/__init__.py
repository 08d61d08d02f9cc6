"""Building blocks that several theorems share: noise quantiles, synthetic rows, reference points."""
