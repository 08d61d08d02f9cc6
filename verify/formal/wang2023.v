(** Lemmas on wang2023, "Post-processing Private Synthetic Data for Improving Utility on Selected Measures". *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
Local Open Scope R_scope.

(** P_syn is uniform on {0, 1}, q(x) = x, the answer is a = 1 and gamma = 0. A distribution on {0, 1} is its weight p of
    1; it is feasible in (3) if its mean is within gamma of a. *)
Definition feasible (p : R) : Prop := 0 <= p <= 1 /\ Rabs (p - 1) <= 0.

(** The weight of 1 in the tilt (4), and the objective of (5). *)
Definition tilt (lambda : R) : R :=
  exp (- (lambda * (1 - 1))) / (exp (- (lambda * (0 - 1))) + exp (- (lambda * (1 - 1)))).

Definition objective (lambda : R) : R :=
  ln ((exp (- (lambda * (0 - 1))) + exp (- (lambda * (1 - 1)))) / 2) + 0 * Rabs lambda.

(** wang2023.T1: Theorem 1 requires only that (3) is feasible. Here it is, only by p = 1, and yet no tilt (4) is
    feasible, and (5) has no minimiser: every lambda has a better one. *)
Lemma feasible_without_a_tilt :
  feasible 1 /\ (forall lambda, ~ feasible (tilt lambda)) /\
  (forall lambda, exists better, objective better < objective lambda).
Proof.
  repeat split.
  - lra.
  - lra.
  - replace (1 - 1) with 0 by ring. rewrite Rabs_R0. lra.
  - intros lambda [_ near]. unfold tilt in near.
    replace (- (lambda * (1 - 1))) with 0 in near by ring. replace (- (lambda * (0 - 1))) with lambda in near by ring.
    rewrite exp_0 in near. pose proof (exp_pos lambda) as positive.
    assert (1 / (exp lambda + 1) < 1).
    { apply Rmult_lt_reg_r with (exp lambda + 1); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    rewrite Rabs_left in near by lra. lra.
  - intros lambda. exists (lambda - 1). unfold objective.
    replace (- ((lambda - 1) * (1 - 1))) with 0 by ring. replace (- ((lambda - 1) * (0 - 1))) with (lambda - 1) by ring.
    replace (- (lambda * (1 - 1))) with 0 by ring. replace (- (lambda * (0 - 1))) with lambda by ring.
    rewrite !Rmult_0_l, !Rplus_0_r, exp_0. pose proof (exp_pos (lambda - 1)).
    assert (exp (lambda - 1) < exp lambda) by (apply exp_increasing; lra). apply ln_increasing; lra.
Qed.

(** The programmes of Section 3, denoising, on the support {0, 1} with q(x) = x: Q p is the weight of 1. *)
Definition is_positive_minimum (distance : R -> R) (p : R) : Prop :=
  0 < p < 1 /\ forall other, 0 < other < 1 -> distance p <= distance other.

(** wang2023.S3.denoise: denoising over p > 0 need not give any answers, and so no feasible projection. For the noisy
    answer 6/5 neither programme has a minimum over p > 0. *)
Lemma denoised_answers_need_not_exist : forall p,
  ~ is_positive_minimum (fun p => Rabs (p - 6 / 5)) p /\ ~ is_positive_minimum (fun p => (p - 6 / 5) ^ 2 / 2) p.
Proof.
  intros p. split; intros [Hp least]; specialize (least ((p + 1) / 2) ltac:(lra)); cbn beta in least.
  - rewrite !Rabs_left in least by lra. lra.
  - assert (0 < (1 - p) * (2 * (6 / 5) - p - (p + 1) / 2)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.
