(** Lemmas on zhou2024, "Bounding the Excess Risk for Linear Models Trained on Marginal-Preserving, Differentially
    Private, Synthetic Data": the lower bound, Theorem 4.1 and Appendix B. A [Lemma] proves what the ledger says about
    the claim named in its comment; a [Fact] is a step. Definitions and numbers are the paper's. *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
Local Open Scope R_scope.

(** The loss of Theorem 4.1, equation (3). *)
Definition piece (g t : R) : R :=
  if Rle_dec t 0 then 1 - 2 * t / g else if Rle_dec t g then (t - g) ^ 2 / g ^ 2 else 0.

Definition loss (g t : R) : R := g * ((1 - t) ^ 2 / 8 + piece g t).

Fact loss_left : forall g t, 0 < g -> t <= 0 -> loss g t = g * (1 - t) ^ 2 / 8 + g - 2 * t.
Proof. intros g t Hg Ht. unfold loss, piece. destruct (Rle_dec t 0); [field; lra | lra]. Qed.

Fact loss_right : forall g t, 0 < g -> g <= t -> loss g t = g * (1 - t) ^ 2 / 8.
Proof.
  intros g t Hg Ht. unfold loss, piece. destruct (Rle_dec t 0); [lra|]. destruct (Rle_dec t g); [|lra].
  replace t with g by lra. field. lra.
Qed.

(** zhou2024.B.range-above: the loss is not at most 1. For every gamma > 0 it is above 1 on all of [-1, -1/2]. *)
Lemma loss_exceeds_one : forall g t, 0 < g -> -1 <= t <= -1 / 2 -> 1 < loss g t.
Proof.
  intros g t Hg Ht. rewrite loss_left by lra.
  assert (0 <= g * (1 - t) ^ 2) by (apply Rmult_le_pos; [lra | apply pow2_ge_0]). lra.
Qed.

(** zhou2024.T41.lipschitz: for no gamma > 0 is the loss 2-Lipschitz on [-1, 1]. *)
Lemma loss_is_not_2_lipschitz : forall g, 0 < g ->
  ~ (forall s t, -1 <= s <= 1 -> -1 <= t <= 1 -> Rabs (loss g s - loss g t) <= 2 * Rabs (s - t)).
Proof.
  intros g Hg lipschitz. specialize (lipschitz (-1) (-1 / 2) ltac:(lra) ltac:(lra)).
  rewrite (loss_left g (-1)), (loss_left g (-1 / 2)) in lipschitz by lra.
  rewrite (Rabs_left (-1 - -1 / 2)) in lipschitz by lra. apply Rabs_le_between in lipschitz. lra.
Qed.

Definition strongly_convex (mu : R) (f : R -> R) : Prop := forall s t l,
  -1 <= s <= 1 -> -1 <= t <= 1 -> 0 <= l <= 1 ->
  f (l * s + (1 - l) * t) + mu / 2 * l * (1 - l) * (s - t) ^ 2 <= l * f s + (1 - l) * f t.

(** zhou2024.T41.strong-convexity: the loss is not 1/ln^3(n)-strongly convex, where gamma = 1/ln^3(n) <= 1/2; for no mu
    above gamma/4 is it mu-strongly convex. *)
Lemma loss_is_less_convex : forall g mu, 0 < g <= 1 / 2 -> g / 4 < mu -> ~ strongly_convex mu (loss g).
Proof.
  intros g mu Hg Hmu convex. specialize (convex (1 / 2) 1 (1 / 2) ltac:(lra) ltac:(lra) ltac:(lra)).
  rewrite !loss_right in convex by lra. lra.
Qed.

(** zhou2024.B.size-of-loss: K tau sqrt(m) + phi(0) is not O(gamma). With K = 2 and tau = 1/sqrt(m), as set there, it
    exceeds M gamma for every small gamma and every constant M. *)
Lemma size_of_loss_is_not_of_order_gamma : forall M m, 0 < m -> exists g0, 0 < g0 /\
  forall g, 0 < g < g0 -> M * g < 2 * (1 / sqrt m) * sqrt m + loss g 0.
Proof.
  intros M m Hm. pose proof (Rabs_pos M). pose proof (Rle_abs M). pose proof (sqrt_lt_R0 m Hm).
  exists (2 * / (Rabs M + 1)). split.
  { apply Rmult_lt_0_compat; [lra|]. apply Rinv_0_lt_compat. lra. }
  intros g [Hg small].
  replace (2 * (1 / sqrt m) * sqrt m) with 2 by (field; lra). rewrite loss_left by lra.
  assert (g * (Rabs M + 1) < 2).
  { apply Rmult_lt_reg_r with (/ (Rabs M + 1)); [apply Rinv_0_lt_compat; lra|].
    rewrite Rmult_assoc, Rinv_r, Rmult_1_r by lra. exact small. }
  assert (M * g <= Rabs M * g) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** zhou2024.B1.exponent: with r = 5/6 and gamma = (m/2)^(-5/(10 - 2r)), as Definition B.1 sets them, the condition m >=
    2 gamma^(-2 - 2r/5) of Theorem B.3, which Corollary B.4 says holds, fails for every m > 2. *)
Lemma condition_of_B3_fails : forall r m g, r = 5 / 6 -> 2 < m -> g = Rpower (m / 2) (-5 / (10 - 2 * r)) ->
  ~ (m >= 2 * Rpower g (-2 - 2 * r / 5)).
Proof.
  intros r m g -> Hm -> holds. rewrite Rpower_mult in holds.
  replace (-5 / (10 - 2 * (5 / 6)) * (-2 - 2 * (5 / 6) / 5)) with (7 / 5) in holds by field.
  assert (above : Rpower (m / 2) 1 < Rpower (m / 2) (7 / 5)) by (apply Rpower_lt; lra).
  rewrite Rpower_1 in above by lra. lra.
Qed.

(** zhou2024.B.sixteenth: equations (4) and (7) do not give the gap gamma/16 of (8). [synthetic] and [best] are the
    expected losses under the distribution in (4), [synthetic_real] and [best_real] those on the data: for every gamma
    there are values that (4) and (7) allow and for which the gap on the data is gamma/40. *)
Lemma sixteenth_does_not_follow : forall g, 0 < g -> exists synthetic best synthetic_real best_real,
  synthetic >= best + g / 8 /\ synthetic - synthetic_real <= g / 20 /\ best_real - best <= g / 20 /\
  ~ (synthetic_real >= best_real + g / 16).
Proof. intros g Hg. exists (g / 8), 0, (g / 8 - g / 20), (g / 20). repeat split; lra. Qed.
