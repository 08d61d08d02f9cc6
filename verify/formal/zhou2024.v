(** Lemmas on zhou2024, "Bounding the Excess Risk for Linear Models Trained on Marginal-Preserving, Differentially
    Private, Synthetic Data". A [Lemma] proves what the ledger says of the claim that its comment names; a [Fact] is a
    step. Definitions say what the paper prints; numbers are the paper's. *)

From Coq Require Import Reals Lra Lia List Bool QArith.
From Coquelicot Require Import Coquelicot.
From Formal Require Import enclosures.
Import ListNotations.
Local Open Scope R_scope.

(** ** Figure 1(a) *)

(** What the figure draws, -log(sigmoid(x)), and polynomials of degree 4. *)
Definition logistic (x : R) : R := ln (1 + exp (- x)).

Definition quartic (c0 c1 c2 c3 c4 x : R) : R := c0 + c1 * x + c2 * x ^ 2 + c3 * x ^ 3 + c4 * x ^ 4.

Definition errs_at_most (e : R) (p : R -> R) : Prop := forall x, -5 <= x <= 5 -> Rabs (p x - logistic x) <= e.

Definition is_minimax (p : R -> R) : Prop :=
  forall c0 c1 c2 c3 c4 e, errs_at_most e (quartic c0 c1 c2 c3 c4) -> errs_at_most e p.

(** zhou2024.F1a.least-error: the figure says that the minimax approximation of degree 4 on [-5, 5] has the error 0.061.
    A polynomial of degree 4 errs by at most 0.0203 everywhere on [-5, 5]. *)
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

(** zhou2024.LA1.small-radius: the bound O(K tau sqrt(m/(d-1))) does not hold where R = tau sqrt m < 1 and the
    polynomial is that on [-1, 1]. The loss |t| has K = 1; d = 5, and a record with <w, x> = 0: whatever the constant M,
    the error exceeds M K R/sqrt(d-1) for every small R. *)
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

(** A function that has the derivative l somewhere in an interval is Lipschitz there with no constant below l. *)
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

(** ** The loss of Theorem 4.1: Definition B.1, equation (3) and Appendix B *)

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

(** zhou2024.T41.lipschitz: the loss is 2-Lipschitz on [-1, 1] for no gamma > 0. *)
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

(** zhou2024.T41.strong-convexity: the loss is not 1/ln^3(n)-strongly convex, where gamma = 1/ln^3(n) <= 1/2; it is
    mu-strongly convex for no mu above gamma/4. *)
Lemma loss_is_less_convex : forall g mu, 0 < g <= 1 / 2 -> g / 4 < mu -> ~ strongly_convex mu (loss g).
Proof.
  intros g mu Hg Hmu convex. specialize (convex (1 / 2) 1 (1 / 2) ltac:(lra) ltac:(lra) ltac:(lra)).
  rewrite !loss_right in convex by lra. lra.
Qed.

(** zhou2024.B.size-of-loss: K tau sqrt(m) + phi(0) is not O(gamma). With K = 2 and tau = 1/sqrt(m), as they are set, it
    exceeds M gamma for every small gamma, whatever the constant M. *)
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
    there are values that (4) and (7) allow, and the gap on the data is gamma/40. *)
Lemma sixteenth_does_not_follow : forall g, 0 < g -> exists synthetic best synthetic_real best_real,
  synthetic >= best + g / 8 /\ synthetic - synthetic_real <= g / 20 /\ best_real - best <= g / 20 /\
  ~ (synthetic_real >= best_real + g / 16).
Proof. intros g Hg. exists (g / 8), 0, (g / 8 - g / 20), (g / 20). repeat split; lra. Qed.

(** ** Privacy: Lemma 3.3 and Appendix A.3 *)

Definition gaussian (mean sigma x : R) : R := exp (- (((x - mean) / sigma) ^ 2 / 2)) / (sigma * sqrt (2 * PI)).

(** zhou2024.A3.noisy: with sigma = 2 m^(d/2) sqrt(ln(1.25/delta))/epsilon the noisy marginals are not (epsilon,
    delta)-private for m = d = 1, epsilon = 0.99, delta = 1e-6. The record (0, 0) becomes (1, 1): the counts of 0 and of
    1 in both attributes move by 1, so that half their signed sum is Gaussian around 0 on one table and around 2 on the
    other, with the same sigma. That it falls into [30, 60] is an event with P > e^epsilon Q + delta. *)
Lemma noisy_marginals_are_not_private :
  let epsilon := 0.99 in let delta := 1 / 10 ^ 6 in
  let sigma := 2 * sqrt (1 ^ 1) * sqrt (ln (1.25 / delta)) / epsilon in
  exp epsilon * RInt (gaussian 0 sigma) 30 60 + delta < RInt (gaussian 2 sigma) 30 60.
Proof.
  intros epsilon delta sigma. unfold gaussian, sigma, epsilon, delta.
  match goal with |- exp _ * ?q + _ < ?p =>
    assert (at_most : q <= 3.75 / 10 ^ 5) by (enclose_integral);
    assert (at_least : 1.07 / 10 ^ 4 <= p) by (enclose_integral)
  end.
  assert (factor : 0 < exp 0.99 <= 2.7) by (split; enclose).
  eapply Rlt_le_trans; [|exact at_least].
  eapply Rle_lt_trans; [apply Rplus_le_compat_r, Rmult_le_compat_l; [lra | exact at_most] |].
  assert (exp 0.99 * (3.75 / 10 ^ 5) <= 2.7 * (3.75 / 10 ^ 5)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** ** Experiments *)

(** zhou2024.11.excess-risk: Sections 1.1 and 5.5 say that apart from Heart the excess empirical risk at epsilon = 2 is
    less than 0.02. Table 2 prints 0.491 for Churn and 0.470 for the real data: whatever was rounded to these, the
    excess is at least 0.02. *)
Lemma excess_of_churn : forall synthetic real,
  Rabs (synthetic - 0.491) <= 0.0005 -> Rabs (real - 0.470) <= 0.0005 -> ~ (synthetic - real < 0.02).
Proof. intros synthetic real H1 H2. apply Rabs_le_between in H1, H2. lra. Qed.

Local Open Scope Q_scope.

(** Tables of two binary attributes; the L1 distance of the shares that two tables have in some cells. *)
Definition table : Set := list (bool * bool).

Definition share (t : table) (cell : bool * bool -> bool) : Q :=
  inject_Z (Z.of_nat (length (filter cell t))) / inject_Z (Z.of_nat (length t)).

Fixpoint distance (real synthetic : table) (cells : list (bool * bool -> bool)) : Q :=
  match cells with
  | [] => 0
  | cell :: others => Qabs.Qabs (share real cell - share synthetic cell) + distance real synthetic others
  end.

Definition first : list (bool * bool -> bool) := map (fun a r => eqb (fst r) a) [false; true].
Definition second : list (bool * bool -> bool) := map (fun b r => eqb (snd r) b) [false; true].
Definition pair : list (bool * bool -> bool) :=
  flat_map (fun a => map (fun b r => eqb (fst r) a && eqb (snd r) b) [false; true]) [false; true].

(** zhou2024.55.average-error: the average error over the selected marginals is no upper bound for the largest error
    over all marginals of order d = 2. The marginals of either attribute are selected: their errors are 0, that of the
    pair is 2, the largest that there is. *)
Lemma average_is_no_upper_bound : exists real synthetic : table,
  (distance real synthetic first + distance real synthetic second) / 2 == 0 /\ distance real synthetic pair == 2.
Proof.
  exists [(false, false); (true, true)], [(false, true); (true, false)]. split; vm_compute; reflexivity.
Qed.
