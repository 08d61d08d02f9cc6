(** Lemmas on ddssp2024, "Private Regression via Data-Dependent Sufficient Statistic Perturbation". *)

From Coq Require Import Reals Lra ZArith.
From Coquelicot Require Import Coquelicot.
From Formal Require Import enclosures.
Local Open Scope R_scope.

(** The variance of the Gaussian mechanism in Definition 2.4. *)
Definition variance (sensitivity epsilon delta : R) : R :=
  2 * ln (1.25 / delta) * sensitivity ^ 2 / epsilon ^ 2.

(** ddssp2024.2-2.factor: Section 2.2 prints the variances ||X||^4 log(1.25/delta)/epsilon^2 and ||X||^2 ||Y||^2
    log(1.25/delta)/epsilon^2 for statistics of sensitivities ||X||^2 and ||X|| ||Y||. By Definition 2.4 they should be
    twice that, which is larger for all norms, epsilon and delta. *)
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

Definition gaussian (mean sigma x : R) : R := exp (- (((x - mean) / sigma) ^ 2 / 2)) / (sigma * sqrt (2 * PI)).

(** ddssp2024.P2-5.classical: noise with the variance of Definition 2.4 is not (epsilon, delta)-private for every
    epsilon. epsilon = 10, delta = 1e-5, a number that is 0 on one table and 1 on a neighbour: that the noisy number
    falls into [2.85, 5] is an event with P > e^epsilon Q + delta. *)
Lemma gaussian_noise_is_not_always_private :
  let epsilon := 10 in let delta := 1 / 10 ^ 5 in let sigma := sqrt (variance 1 epsilon delta) in
  exp epsilon * RInt (gaussian 0 sigma) 2.85 5 + delta < RInt (gaussian 1 sigma) 2.85 5.
Proof.
  intros epsilon delta sigma. unfold gaussian, sigma, variance, epsilon, delta.
  match goal with |- exp _ * ?q + _ < ?p =>
    assert (at_most : q <= 2.2 / 10 ^ 9) by (integral with (i_prec 60, i_width (-42)%Z));
    assert (at_least : 6.4 / 10 ^ 5 <= p) by enclose_integral
  end.
  assert (factor : 0 < exp 10 <= 22027) by (split; enclose).
  assert (exp 10 * (2.2 / 10 ^ 9) <= 22027 * (2.2 / 10 ^ 9)) by (apply Rmult_le_compat_r; lra).
  apply Rlt_le_trans with (2 := at_least).
  apply Rle_lt_trans with (exp 10 * (2.2 / 10 ^ 9) + 1 / 10 ^ 5); [|lra].
  apply Rplus_le_compat_r, Rmult_le_compat_l; [lra | exact at_most].
Qed.
