(** A lemma on ddssp2024, "Private Regression via Data-Dependent Sufficient Statistic Perturbation". *)

From Coq Require Import Reals Lra.
Local Open Scope R_scope.

(** The variance of the Gaussian mechanism in Definition 2.4. *)
Definition variance (sensitivity epsilon delta : R) : R :=
  2 * ln (1.25 / delta) * sensitivity ^ 2 / epsilon ^ 2.

(** ddssp2024.2-2.factor: Section 2.2 prints the variances ||X||^4 log(1.25/delta)/epsilon^2 and ||X||^2 ||Y||^2
    log(1.25/delta)/epsilon^2 for statistics of the sensitivities ||X||^2 and ||X|| ||Y||. By Definition 2.4 they are
    twice that, and so more for all norms, epsilon and delta. *)
Lemma printed_variances_are_half : forall x y epsilon delta, 0 < x -> 0 < y -> 0 < epsilon -> 0 < delta < 1 ->
  x ^ 4 * ln (1.25 / delta) / epsilon ^ 2 < variance (x ^ 2) epsilon delta /\
  x ^ 2 * y ^ 2 * ln (1.25 / delta) / epsilon ^ 2 < variance (x * y) epsilon delta.
Proof.
  intros x y epsilon delta Hx Hy He Hd.
  assert (0 < ln (1.25 / delta)) as logarithm.
  { rewrite <- ln_1. apply ln_increasing; [lra|].
    apply Rmult_lt_reg_r with delta; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (positive : forall a, 0 < a -> 0 < a * ln (1.25 / delta) / epsilon ^ 2).
  { intros a Ha. apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; assumption | apply pow_lt; exact He]. }
  unfold variance.
  pose proof (positive (x ^ 4) ltac:(apply pow_lt; exact Hx)).
  pose proof (positive (x ^ 2 * y ^ 2) ltac:(apply Rmult_lt_0_compat; apply pow_lt; assumption)).
  replace (2 * ln (1.25 / delta) * (x ^ 2) ^ 2 / epsilon ^ 2)
    with (2 * (x ^ 4 * ln (1.25 / delta) / epsilon ^ 2)) by (field; lra).
  replace (2 * ln (1.25 / delta) * (x * y) ^ 2 / epsilon ^ 2)
    with (2 * (x ^ 2 * y ^ 2 * ln (1.25 / delta) / epsilon ^ 2)) by (field; lra). lra.
Qed.
