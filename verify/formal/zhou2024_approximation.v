(** Lemmas on zhou2024, "Bounding the Excess Risk for Linear Models Trained on Marginal-Preserving, Differentially
    Private, Synthetic Data": Figure 1(a) and Appendix A. A [Lemma] proves what the ledger says about the claim named in
    its comment; a [Fact] is a step. Definitions and numbers are the paper's. *)

From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Formal Require Import enclosures.
Local Open Scope R_scope.

(** ** Figure 1(a) *)

(** The function in the figure, -log(sigmoid(x)), and polynomials of degree 4. *)
Definition logistic (x : R) : R := ln (1 + exp (- x)).

Definition quartic (c0 c1 c2 c3 c4 x : R) : R := c0 + c1 * x + c2 * x ^ 2 + c3 * x ^ 3 + c4 * x ^ 4.

Definition errs_at_most (e : R) (p : R -> R) : Prop := forall x, -5 <= x <= 5 -> Rabs (p x - logistic x) <= e.

Definition is_minimax (p : R -> R) : Prop :=
  forall c0 c1 c2 c3 c4 e, errs_at_most e (quartic c0 c1 c2 c3 c4) -> errs_at_most e p.

(** zhou2024.F1a.least-error: the figure says that the minimax approximation of degree 4 on [-5, 5] has error 0.061. A
    polynomial of degree 4 has an error of at most 0.0203 everywhere on [-5, 5]. *)
Lemma error_below_a_third : errs_at_most 0.0203 (quartic 0.713378 (-1/2) 0.103771 0 (-0.00131389)).
Proof.
  intros x H. unfold quartic, logistic.
  interval with (i_bisect x, i_taylor x, i_degree 3, i_depth 40, i_prec 30).
Qed.

(** zhou2024.F1a.minimax: 0.71 - 0.5 x + 0.1096 x^2 - 0.0015 x^4 is not the minimax polynomial of degree 4 on [-5, 5],
    nor is any polynomial whose even coefficients round to the printed ones; its odd coefficients are free. *)
Lemma printed_polynomial_is_not_minimax : forall c0 c1 c2 c3 c4,
  Rabs (c0 - 0.71) <= 0.005 -> Rabs (c2 - 0.1096) <= 0.00005 -> Rabs (c4 - (-0.0015)) <= 0.00005 ->
  ~ is_minimax (quartic c0 c1 c2 c3 c4).
Proof.
  intros c0 c1 c2 c3 c4 H0 H2 H4 best.
  pose proof (best _ _ _ _ _ _ error_below_a_third) as small.
  pose proof (small 4 ltac:(lra)) as right. pose proof (small (-4) ltac:(lra)) as left.
  unfold quartic, logistic in right, left.
  assert (sum : 4.036 <= ln (1 + exp (- (4))) + ln (1 + exp (- (-4))) <= 4.037) by (split; enclose).
  apply Rabs_le_between in H0, H2, H4, right, left. lra.
Qed.

(** ** Bernstein polynomials on [-1, 1]: Theorem 2.3 and Appendix A *)

Definition bernstein (n : nat) (f : R -> R) (x : R) : R :=
  sum_f_R0 (fun k => f (2 * INR k / INR n - 1) * Binomial.C n k * ((1 + x) / 2) ^ k * ((1 - x) / 2) ^ (n - k)) n.

(** zhou2024.LA1.small-radius: the bound O(K tau sqrt(m/(d-1))) does not hold if R = tau sqrt m < 1 and the polynomial
    is that on [-1, 1]. The loss |t| has K = 1; d = 5, and a record with <w, x> = 0: for every constant M the error
    exceeds M K R/sqrt(d-1) for every small R. *)
Lemma no_constant_for_small_radius : forall M, exists R0, 0 < R0 /\
  forall R, 0 < R < R0 -> M * (1 * R / sqrt (5 - 1)) < Rabs (bernstein (5 - 1) Rabs 0 - Rabs 0).
Proof.
  intros M. exists (/ (2 * (Rabs M + 1))).
  pose proof (Rabs_pos M) as positive. pose proof (Rle_abs M) as above.
  split; [apply Rinv_0_lt_compat; lra|]. intros R [H1 H2].
  assert (value : bernstein (5 - 1) Rabs 0 = 3 / 8).
  { unfold bernstein, Binomial.C. simpl.
    rewrite (Rabs_left (2 * 0 / (1 + 1 + 1 + 1) - 1)) by lra.
    rewrite (Rabs_left (2 * 1 / (1 + 1 + 1 + 1) - 1)) by lra.
    rewrite (Rabs_right (2 * (1 + 1) / (1 + 1 + 1 + 1) - 1)) by lra.
    rewrite (Rabs_right (2 * (1 + 1 + 1) / (1 + 1 + 1 + 1) - 1)) by lra.
    rewrite (Rabs_right (2 * (1 + 1 + 1 + 1) / (1 + 1 + 1 + 1) - 1)) by lra.
    field. }
  rewrite value, Rabs_R0, Rminus_0_r, Rabs_right by lra.
  replace (5 - 1) with (2 * 2) by lra. rewrite sqrt_square by lra.
  assert (small : R * (2 * (Rabs M + 1)) < 1).
  { apply Rmult_lt_reg_r with (/ (2 * (Rabs M + 1))); [apply Rinv_0_lt_compat; lra|].
    rewrite Rmult_assoc, Rinv_r, Rmult_1_r, Rmult_1_l by lra. exact H2. }
  assert (M * R <= Rabs M * R) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Definition hinge (t : R) : R := Rmax 0 (1 - t).

(** zhou2024.A1.unconstrained: the risk L' of the polynomial need not have a minimiser over all w. The hinge loss with d
    = 2, one feature, two records with x y = 1 and one with x y = -1: there is always a better w. *)
Lemma no_minimiser_over_all_w :
  let loss := bernstein (2 - 1) hinge in
  let risk w := (loss (w * 1) + loss (w * 1) + loss (w * -1)) / 3 in
  forall w, exists better, risk better < risk w.
Proof.
  intros loss risk w.
  assert (line : forall x, bernstein (2 - 1) hinge x = 1 - x).
  { intros x. unfold bernstein, Binomial.C, hinge. simpl.
    rewrite (Rmax_right 0 (1 - (2 * 0 / 1 - 1))), (Rmax_right 0 (1 - (2 * 1 / 1 - 1))) by lra. field. }
  exists (w + 1). unfold risk, loss. rewrite !line. lra.
Qed.

(** A function with derivative l somewhere in an interval is not Lipschitz there with any constant below l. *)
Fact steeper_than_lipschitz : forall (f : R -> R) (x l K r : R), 0 < r -> is_derive f x l -> K < l ->
  ~ (forall y, Rabs (y - x) <= r -> Rabs (f y - f x) <= K * Rabs (y - x)).
Proof.
  intros f x l K r Hr slope HK lipschitz.
  apply is_derive_Reals in slope. destruct (slope ((l - K) / 2) ltac:(lra)) as [[delta Hd] near]. simpl in near.
  set (h := Rmin (delta / 2) r).
  assert (0 < h <= r /\ h < delta) as [[h0 h1] h2].
  { unfold h. pose proof (Rmin_l (delta / 2) r). pose proof (Rmin_r (delta / 2) r).
    assert (0 < Rmin (delta / 2) r) by (apply Rmin_pos; lra). lra. }
  assert (close : Rabs h < delta) by (rewrite Rabs_right; lra).
  specialize (near h ltac:(lra) close). specialize (lipschitz (x + h)).
  replace (x + h - x) with h in lipschitz by ring.
  rewrite (Rabs_right h) in lipschitz by lra. specialize (lipschitz h1).
  apply Rabs_def2 in near. destruct near as [_ near]. apply Rabs_le_between in lipschitz.
  assert ((l + K) / 2 * h < f (x + h) - f x).
  { apply Rmult_lt_reg_r with (/ h); [apply Rinv_0_lt_compat; lra|].
    rewrite Rmult_assoc, Rinv_r, Rmult_1_r by lra. unfold Rdiv in *. lra. }
  assert (K * h < (l + K) / 2 * h) by (apply Rmult_lt_compat_r; lra). lra.
Qed.

(** zhou2024.A2.rescale: Appendix A.2 maps [a, b] = [-R, R] to [0, 1] and says that this multiplies the Lipschitz
    constant 1/4 of the derivative of the logistic loss by b - a = 2R. For every R > 1/2 it does not: the derivative of
    g(u) = phi(-R + 2 R u) is not (2R/4)-Lipschitz on [0, 1]. *)
Lemma rescaling_multiplies_by_more : forall R, 1 / 2 < R ->
  let g u := logistic (- R + 2 * R * u) in
  ~ (forall u v, 0 <= u <= 1 -> 0 <= v <= 1 -> Rabs (Derive g u - Derive g v) <= 2 * R * (1 / 4) * Rabs (u - v)).
Proof.
  intros R HR g lipschitz.
  assert (first : forall u, Derive g u = - (2 * R) / (1 + exp (- R + 2 * R * u))).
  { intros u. apply is_derive_unique. unfold g, logistic.
    pose proof (exp_pos (- (- R + 2 * R * u))) as below. pose proof (exp_pos (- R + 2 * R * u)) as above.
    auto_derive; [lra|]. rewrite exp_Ropp in *. field. lra. }
  assert (second : is_derive (Derive g) (1 / 2) (R * R)).
  { apply (is_derive_ext (fun u => - (2 * R) / (1 + exp (- R + 2 * R * u)))); [intros; symmetry; apply first|].
    auto_derive.
    - pose proof (exp_pos (- R + 2 * R * (1 / 2))). lra.
    - replace (- R + 2 * R * (1 / 2)) with 0 by field. rewrite exp_0. field. }
  apply (steeper_than_lipschitz _ _ _ (2 * R * (1 / 4)) (1 / 2) ltac:(lra) second).
  - assert (R * (1 / 2) < R * R) by (apply Rmult_lt_compat_l; lra). lra.
  - intros y Hy. apply Rabs_le_between in Hy. apply lipschitz; lra.
Qed.

(** ** The Bernstein polynomial of the logistic loss at 0 is the mean over a walk *)

(** The mean of g over n steps of a fair walk that starts at s. *)
Fixpoint walk (n : nat) (g : R -> R) (s : R) : R :=
  match n with O => g s | S k => (walk k g (s - 1) + walk k g (s + 1)) / 2 end.

Fact choose_none : forall n, Binomial.C n 0 = 1.
Proof. intros n. unfold Binomial.C. rewrite Nat.sub_0_r. simpl. field. apply INR_fact_neq_0. Qed.

Fact choose_all : forall n, Binomial.C n n = 1.
Proof. intros n. unfold Binomial.C. rewrite Nat.sub_diag. simpl. field. apply INR_fact_neq_0. Qed.

Fact sum_by_pascal : forall n g,
  sum_f_R0 (fun k => Binomial.C (S n) k * g k) (S n) = sum_f_R0 (fun k => Binomial.C n k * (g k + g (S k))) n.
Proof.
  intros [|n] g.
  - simpl. rewrite !choose_none, choose_all. ring.
  - rewrite decomp_sum by lia. rewrite Nat.pred_succ, tech5.
    rewrite (sum_eq (fun k => Binomial.C (S n) k * (g k + g (S k)))
      (fun k => Binomial.C (S n) k * g k + Binomial.C (S n) k * g (S k))) by (intros; ring).
    rewrite plus_sum. rewrite (decomp_sum (fun k => Binomial.C (S n) k * g k)) by lia.
    rewrite Nat.pred_succ, (tech5 (fun k => Binomial.C (S n) k * g (S k))).
    rewrite (sum_eq (fun i => Binomial.C (S (S n)) (S i) * g (S i))
      (fun i => Binomial.C (S n) (S i) * g (S i) + Binomial.C (S n) i * g (S i))).
    + rewrite plus_sum, !choose_none, !choose_all. ring.
    + intros i Hi. rewrite <- pascal by lia. ring.
Qed.

Fact walk_is_binomial : forall n g s,
  walk n g s = sum_f_R0 (fun k => Binomial.C n k * g (s + 2 * INR k - INR n)) n / 2 ^ n.
Proof.
  induction n as [|n IH]; intros g s.
  - simpl. rewrite choose_none. replace (s + 2 * 0 - 0) with s by ring. field.
  - cbn [walk]. rewrite !IH, (sum_by_pascal n (fun k => g (s + 2 * INR k - INR (S n)))).
    rewrite (sum_eq (fun k => Binomial.C n k * (g (s + 2 * INR k - INR (S n)) + g (s + 2 * INR (S k) - INR (S n))))
      (fun k => Binomial.C n k * g (s - 1 + 2 * INR k - INR n) + Binomial.C n k * g (s + 1 + 2 * INR k - INR n))).
    + rewrite plus_sum. simpl pow. field. apply pow_nonzero. lra.
    + intros k _. rewrite !S_INR.
      replace (s + 2 * INR k - (INR n + 1)) with (s - 1 + 2 * INR k - INR n) by ring.
      replace (s + 2 * (INR k + 1) - (INR n + 1)) with (s + 1 + 2 * INR k - INR n) by ring. ring.
Qed.

Fact walk_monotone : forall n f g s, (forall t, f t <= g t) -> walk n f s <= walk n g s.
Proof.
  induction n as [|n IH]; intros f g s below; [apply below|].
  cbn [walk]. pose proof (IH f g (s - 1) below). pose proof (IH f g (s + 1) below). lra.
Qed.

Fact walk_of_moments : forall n a b c s, walk n (fun t => a * t ^ 2 + b * t ^ 4 + c * t) s =
  a * (s ^ 2 + INR n) + b * (s ^ 4 + 6 * INR n * s ^ 2 + 3 * INR n ^ 2 - 2 * INR n) + c * s.
Proof.
  induction n as [|n IH]; intros a b c s; [simpl; ring|].
  cbn [walk]. rewrite !IH, S_INR. field.
Qed.

Fact logistic_above_quartic : forall l t, 0 < l ->
  / (2 * l) * t ^ 2 + - / (8 * l ^ 3) * t ^ 4 + - (1 / 2) * t <= logistic t.
Proof.
  intros l t Hl.
  assert (absolute : / (2 * l) * t ^ 2 + - / (8 * l ^ 3) * t ^ 4 <= Rabs t / 2).
  { set (u := Rabs t / l).
    assert (0 <= u) as Hu by (apply Rmult_le_pos; [apply Rabs_pos | left; apply Rinv_0_lt_compat; exact Hl]).
    assert (size : Rabs t = u * l) by (unfold u; field; lra).
    assert (square : t ^ 2 = (u * l) ^ 2) by (rewrite <- size, pow2_abs; reflexivity).
    replace (t ^ 4) with (t ^ 2 * t ^ 2) by ring. rewrite square, size.
    replace (/ (2 * l) * (u * l) ^ 2 + - / (8 * l ^ 3) * ((u * l) ^ 2 * (u * l) ^ 2))
      with (l / 2 * (u ^ 2 - u ^ 4 / 4)) by (field; lra).
    replace (u * l / 2) with (l / 2 * u) by field. apply Rmult_le_compat_l; [lra|].
    assert (0 <= u * (1 - u + u ^ 3 / 4)); [|lra]. apply Rmult_le_pos; [exact Hu|].
    destruct (Rle_dec u 1) as [small|large]; [|destruct (Rle_dec u 2)].
    - pose proof (pow_le u 3 Hu). lra.
    - assert (0 <= (u - 1.15) ^ 2 * (u + 2.3)) by (apply Rmult_le_pos; [apply pow2_ge_0 | lra]). lra.
    - assert (4 <= u * u) by (replace 4 with (2 * 2) by ring; apply Rmult_le_compat; lra).
      assert (4 * u <= u * u * u) by (apply Rmult_le_compat_r; lra). lra. }
  unfold logistic. pose proof (exp_pos (- t)) as positive.
  destruct (Rle_dec 0 t) as [right|left].
  - rewrite Rabs_right in absolute by lra. assert (0 <= ln (1 + exp (- t))); [|lra].
    rewrite <- ln_1. left. apply ln_increasing; lra.
  - rewrite Rabs_left in absolute by lra. assert (- t <= ln (1 + exp (- t))); [|lra].
    rewrite <- (ln_exp (- t)) at 1. left. apply ln_increasing; lra.
Qed.

Fact bernstein_is_walk : forall n, (0 < n)%nat -> bernstein n (fun x => logistic (INR n * x)) 0 = walk n logistic 0.
Proof.
  intros n Hn. pose proof (lt_0_INR n Hn). rewrite walk_is_binomial. unfold bernstein.
  unfold Rdiv at 4. rewrite Rmult_comm, scal_sum. apply sum_eq. intros k Hk.
  replace ((1 + 0) / 2) with (/ 2) by field. replace ((1 - 0) / 2) with (/ 2) by field.
  replace (INR n * (2 * INR k / INR n - 1)) with (0 + 2 * INR k - INR n) by (field; lra).
  rewrite <- pow_inv.
  replace ((/ 2) ^ n) with ((/ 2) ^ k * (/ 2) ^ (n - k)) by (rewrite <- pow_add; f_equal; lia). ring.
Qed.

(** zhou2024.A2.error: replacing the logistic loss by its Bernstein polynomial does not change the risk by O(tau
    sqrt(m)/(d-1)) uniformly in R = tau sqrt(m): for every constant M there are d and R >= 1 such that at a record with
    <w, x> = 0 the Bernstein polynomial of degree d - 1 on [-R, R] has an error of more than M R/(d-1). *)
Lemma no_constant_for_all_radii : forall M, exists (d : nat) (R : R), (2 <= d)%nat /\ 1 <= R /\
  M * (R / (INR d - 1)) < Rabs (bernstein (d - 1) (fun x => logistic (R * x)) 0 - logistic (R * 0)).
Proof.
  intros M. pose proof (Rabs_pos M). pose proof (Rle_abs M).
  destruct (nfloor_ex (8 * (Rabs M + 1)) ltac:(lra)) as [k Hk]. set (l := S k).
  assert (8 * (Rabs M + 1) < INR l) as Hl by (unfold l; rewrite S_INR; lra).
  assert (0 < l)%nat as Hl' by (unfold l; lia). clearbody l.
  exists (S (l * l)), (INR (l * l)). replace (S (l * l) - 1)%nat with (l * l)%nat by lia.
  assert (1 <= l * l)%nat as many by nia.
  assert (1 <= INR (l * l)) by (change 1 with (INR 1); apply le_INR; exact many).
  split; [lia|]. split; [assumption|].
  rewrite S_INR, bernstein_is_walk by lia. replace (INR (l * l) / (INR (l * l) + 1 - 1)) with 1 by (field; lra).
  pose proof (walk_monotone (l * l) _ logistic 0 (fun t => logistic_above_quartic (INR l) t ltac:(lra))) as above.
  rewrite walk_of_moments, mult_INR in above.
  replace (/ (2 * INR l) * (0 ^ 2 + INR l * INR l) + - / (8 * INR l ^ 3) *
    (0 ^ 4 + 6 * (INR l * INR l) * 0 ^ 2 + 3 * (INR l * INR l) ^ 2 - 2 * (INR l * INR l)) + - (1 / 2) * 0)
    with (INR l / 8 + / (4 * INR l)) in above by (field; lra).
  assert (0 < / (4 * INR l)) by (apply Rinv_0_lt_compat; lra).
  assert (logistic (INR (l * l) * 0) < 1).
  { unfold logistic. rewrite Rmult_0_r, Ropp_0, exp_0. enclose. }
  rewrite Rabs_right; lra.
Qed.
