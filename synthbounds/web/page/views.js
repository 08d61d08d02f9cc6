// What each view shows: which declared parameters, in which order, with which slider and in which friendlier words.
// Kinds, choices, ranges and defaults come from the engine's forms. `start` is what a first visitor sees; an empty one
// leaves the parameter out, so that its default holds. `for` names the choices of "solve" that need the field; what
// `isShare` may be typed in percent.

const EPSILON = { name: "epsilon", label: "Privacy ε", note: "smaller protects more", slider: { scale: "log", from: 0.01, to: 10 } };
const DP_DELTA = { name: "dp-delta", label: "Privacy δ", slider: { scale: "log", from: 1e-12, to: 0.01 }, blank: "none" };
const RECORDS = { name: "n", label: "Records", note: "records of the real table", slider: { scale: "whole-log", from: 100, to: 1e7 } };
const EDITION = { name: "edition", label: "Edition", choices: { printed: "as the paper has it", corrected: "errors repaired", sharp: "best proved" } };
const NEIGHBOURS = { "replace-one": "one record differs", "add-remove": "one record more or less" };
const THEOREM = { name: "theorem", label: "Theorem", blank: "the one that fits", note: "by its id" };

const FAMILIES = {
  monomials: "some attributes are all 1",
  parities: "means of products of signs",
  cells: "each has a given value",
  thresholds: "each is at or above a level",
  moments: "means of products of powers",
};
const MEASURES = { uniform: "all points equally likely", histogram: "a probability for each point", kde: "a density, such as a kernel estimate", custom: "by its condition number" };
const NOISES = {
  laplace: "independent for each answer",
  linf: "uniform in a cube of random size",
  gaussian: "normal; needs privacy δ",
  "contrast-linf": "linf on contrasts",
  "contrast-gaussian": "gaussian on contrasts",
};
const ROWS = { rounding: "shares rounded to whole rows", drawing: "drawn until they fit", sampling: "drawn once", columns: "column by column", shuffling: "columns, shuffled until they fit" };

export const VIEWS = {
  sizes: {
    command: "require",
    tab: "How much data",
    title: "How much data does private synthetic data need?",
    solve: [
      { value: "n", words: "How many records do I need?", gives: "records are enough" },
      { value: "accuracy", words: "How accurate can it be?", gives: "the largest error of any answer" },
      { value: "epsilon", words: "How small can ε be?", gives: "is the smallest ε that suffices" },
      { value: "failure", words: "How sure can I be?", gives: "the probability that the promise fails" },
    ],
    fields: [
      { ...RECORDS, start: "10000", for: ["accuracy", "epsilon", "failure"] },
      { name: "p", label: "Attributes", note: "columns of the table", start: "10", slider: { scale: "whole", from: 1, to: 40 } },
      { name: "degree", label: "Columns combined", note: "counts over up to this many columns", start: "2", slider: { scale: "whole", from: 1, to: 5 } },
      { ...EPSILON, start: "0.2", for: ["n", "accuracy", "failure"] },
      { name: "accuracy", label: "Largest error", isShare: true, note: "of any share that is asked for", start: "0.1", slider: { scale: "log", from: 0.001, to: 1 }, for: ["n", "epsilon", "failure"] },
      { name: "failure", label: "Chance of being wrong", isShare: true, note: "that some share is further off", start: "0.05", slider: { scale: "log", from: 0.0001, to: 0.5 }, for: ["n", "accuracy", "epsilon"] },
    ],
    advanced: [
      { name: "family", label: "What is counted", note: "shares of records, by which rule", choices: FAMILIES },
      { name: "t", label: "Levels of each attribute", note: "two: yes or no", slider: { scale: "whole", from: 2, to: 20 } },
      DP_DELTA,
      { name: "adjacency", label: "Neighbouring tables", note: "what one person changes", choices: NEIGHBOURS },
      { name: "measure", label: "Reference measure", note: "where the reference points come from", choices: MEASURES },
      { name: "tau1", label: "Least probability of a point", slider: { scale: "log", from: 1e-6, to: 1 }, measure: "histogram", blank: "uniform" },
      { name: "tau2", label: "Largest probability of a point", slider: { scale: "log", from: 1e-6, to: 1 }, measure: "histogram", blank: "uniform" },
      { name: "tau", label: "Infimum of the density", slider: { scale: "log", from: 0.001, to: 1 }, measure: "kde", blank: "uniform" },
      { name: "lipschitz", label: "Lipschitz constant of the density", slider: { scale: "log", from: 0.01, to: 100 }, measure: "kde", blank: "uniform" },
      { name: "density-max", label: "Supremum of the density", slider: { scale: "log", from: 1, to: 100 }, measure: "kde", blank: "uniform" },
      { name: "kappa", label: "Rényi condition number", slider: { scale: "log", from: 1, to: 1e6 }, measure: "custom", blank: "none" },
      { name: "mechanism", label: "Noise", note: "what is added to the answers", blank: "the cheapest", choices: NOISES },
      { name: "rows", label: "How rows are made", blank: "the fewest", choices: ROWS },
      { name: "release", label: "What is released" },
      { name: "k", label: "Synthetic records", slider: { scale: "whole-log", from: 10, to: 1e6 }, blank: "as many as needed" },
      EDITION,
      THEOREM,
    ],
    over: "epsilon",
    points: 60,
    solvedPoints: 20,
    compares: true,
  },
  risk: {
    command: "risk",
    tab: "How good a model",
    title: "How much worse is a model trained on synthetic data?",
    solve: [
      { value: "n", words: "How many records do I need?", gives: "records are enough" },
      { value: "excess", words: "How much worse can it be?", gives: "excess risk at most" },
      { value: "epsilon", words: "How small can ε be?", gives: "is the smallest ε that suffices" },
    ],
    fields: [
      { ...RECORDS, start: "10000", for: ["excess", "epsilon"] },
      { name: "target", label: "Excess risk to reach", note: "mean loss above that of the best model", start: "0.1", slider: { scale: "log", from: 0.005, to: 1 }, for: ["n", "epsilon"] },
      { name: "features", label: "Features", note: "without the label", start: "10", slider: { scale: "whole", from: 1, to: 50 } },
      { name: "radius", label: "Size of the models", note: "largest sum of absolute weights", start: "1", slider: { scale: "log", from: 0.1, to: 10 } },
      { ...EPSILON, start: "1", for: ["n", "excess"] },
      { ...DP_DELTA, start: "1e-6" },
      { name: "failure", label: "Chance of being wrong", isShare: true, note: "that the bound does not hold", start: "0.01", slider: { scale: "log", from: 0.0001, to: 0.5 } },
    ],
    advanced: [
      { name: "loss", label: "Loss", blank: "logistic", suggestions: ["logistic", "hinge", "squared-hinge", "huber", "exponential"] },
      { name: "intercept", label: "Largest intercept", start: "0", slider: { scale: "log", from: 0.01, to: 10 } },
      { name: "levels", label: "Levels of an attribute", slider: { scale: "whole", from: 2, to: 20 } },
      { name: "marginals", label: "Attributes in one table", slider: { scale: "whole", from: 1, to: 6 }, blank: "the best" },
      { name: "release", label: "What is released" },
      { name: "approximation", label: "Approximation of the loss", blank: "the best", suggestions: ["bernstein", "chebyshev", "interpolation", "minimax", "optimal"] },
      { name: "optimisation-gap", label: "Gap of the optimiser", slider: { scale: "log", from: 1e-6, to: 0.1 }, blank: "0" },
      EDITION,
      THEOREM,
    ],
    over: "epsilon",
    points: 16,
    solvedPoints: 8,
    compares: true,
  },
  plan: {
    command: "certify",
    tab: "Plan a certificate",
    title: "What will a certificate say about my model?",
    fixed: { plan: true },
    serverOnly: true,
    needs: "web",
    why: "Not on this page: planning a certificate needs numpy and scipy, which this page does not include. Run the same page on your own machine:",
    solve: [
      { value: "excess", words: "How good will it be?", gives: "predicted: no linear model is better by more" },
      { value: "n", words: "How many records do I need?", gives: "records, predicted" },
      { value: "epsilon", words: "How small can ε be?", gives: "is the smallest ε, predicted" },
    ],
    fields: [
      { ...RECORDS, start: "20000", for: ["excess", "epsilon"] },
      { name: "target", label: "Certificate you want", note: "excess risk at most", start: "0.02", slider: { scale: "log", from: 0.001, to: 1 }, for: ["n", "epsilon"] },
      { name: "features", label: "Features", note: "including the intercept", start: "14", slider: { scale: "whole", from: 2, to: 100 } },
      { ...EPSILON, start: "1", for: ["excess", "n"] },
      { name: "tau", label: "Norm of the models", note: "features in the unit ball", start: "5", slider: { scale: "log", from: 0.5, to: 50 } },
    ],
    advanced: [
      { ...DP_DELTA, blank: "1/n²" },
      { name: "beta", label: "Chance of being wrong", isShare: true, slider: { scale: "log", from: 0.0001, to: 0.5 } },
      { name: "loss", label: "Loss", blank: "logistic", suggestions: ["logistic", "squared", "hinge"] },
      { name: "ridge", label: "Ridge", slider: { scale: "log", from: 1e-6, to: 1 }, blank: "none" },
      { name: "intercept", label: "Intercept", blank: "inside" },
      { name: "adjacency", label: "Neighbouring tables", choices: NEIGHBOURS, blank: "replace-one" },
      { name: "reserve", label: "Share kept for one query", isShare: true, slider: { scale: "log", from: 0.01, to: 0.9 }, blank: "0" },
      { name: "fourth", label: "Plan with fourth moments", isFlag: true },
    ],
    over: "epsilon",
    points: 12,
    solvedPoints: 8,
    compares: false,
  },
};

export const VIEW_NAMES = ["sizes", "risk", "plan", "papers", "guided"];
