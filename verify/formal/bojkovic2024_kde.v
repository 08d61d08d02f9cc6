(** Lemmas on bojkovic2024, "Differentially Private Synthetic Data with Private Density Estimation": Theorem IV.1. A
    [Lemma] proves what the ledger says about the claim named in its comment; a [Fact] is a step. Definitions are what
    the paper prints. *)

From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Flocq Require Import Core.
From Formal Require Import enclosures.
Local Open Scope R_scope.

Definition normal (x : R) : R := exp (- (x ^ 2 / 2)) / sqrt (2 * PI).

Fact root_of_two_pi : 0 < sqrt (2 * PI).
Proof. enclose. Qed.

Fact normal_integrable : forall a b, ex_RInt normal a b.
Proof.
  intros a b. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros z _. apply continuity_pt_filterlim.
  unfold normal. pose proof root_of_two_pi. reg; lra.
Qed.

Fact normal_positive : forall x, 0 <= normal x.
Proof.
  intros x. apply Rlt_le, Rdiv_lt_0_compat; [apply exp_pos | apply root_of_two_pi].
Qed.

Fact normal_beyond_three : forall t, 3 <= t -> RInt normal 3 t <= 0.003.
Proof.
  intros t Ht. pose proof root_of_two_pi as positive.
  set (primitive x := - (2 / 3) * exp (- (3 / 2 * x)) / sqrt (2 * PI)).
  assert (simple : is_RInt (fun x => exp (- (3 / 2 * x)) / sqrt (2 * PI)) 3 t (minus (primitive t) (primitive 3))).
  { apply (is_RInt_derive primitive).
    - intros x _. unfold primitive. auto_derive; [lra | field; lra].
    - intros x _. apply continuity_pt_filterlim. reg; lra. }
  apply Rle_trans with (RInt (fun x => exp (- (3 / 2 * x)) / sqrt (2 * PI)) 3 t).
  - apply RInt_le; [exact Ht | apply normal_integrable | eexists; exact simple |].
    intros x Hx. unfold normal. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; exact positive|].
    apply Raux.exp_le. assert (3 * x <= x * x) by (apply Rmult_le_compat_r; lra). lra.
  - rewrite (is_RInt_unique _ _ _ _ simple). unfold minus, plus, opp. simpl.
    assert (first : - primitive 3 <= 0.003) by (unfold primitive; enclose).
    assert (primitive t <= 0); [|lra]. unfold primitive.
    assert (0 < exp (- (3 / 2 * t)) / sqrt (2 * PI)) by (apply Rdiv_lt_0_compat; [apply exp_pos | lra]).
    unfold Rdiv in *. lra.
Qed.

Fact normal_half : forall t, 0 <= t -> RInt normal 0 t <= 0.502.
Proof.
  intros t Ht.
  assert (three : RInt normal 0 3 <= 0.499) by (unfold normal; enclose_integral).
  destruct (Rle_dec t 3) as [near|far].
  - assert (rest : 0 <= RInt normal t 3)
      by (apply RInt_ge_0; [lra | apply normal_integrable | intros; apply normal_positive]).
    pose proof (RInt_Chasles normal 0 t 3 (normal_integrable _ _) (normal_integrable _ _)) as whole.
    unfold plus in whole. simpl in whole. lra.
  - pose proof (normal_beyond_three t ltac:(lra)) as rest.
    pose proof (RInt_Chasles normal 0 3 t (normal_integrable _ _) (normal_integrable _ _)) as whole.
    unfold plus in whole. simpl in whole. lra.
Qed.

(** The mean at a corner of the kernel estimate (2) of the uniform density on [0, 1]^p: along each axis the kernel is
    centred at a uniform point, so it is the power p of one integral. *)
Definition mean_at_corner (p : nat) (h : R) : R := RInt (fun u => / h * normal (/ h * u + 0)) 0 1 ^ p.

(** bojkovic2024.IV1.uniform-error: the Claim of Appendix D-C says that the kernel estimate is within tau/3 of the
    density everywhere on the cube, with probability at least 1 - 1/n. For the uniform density tau = 1. Let q be the
    probability that the estimate at a corner is at least 1 - tau/3, so that (1 - tau/3) q is at most its mean, by
    Markov's inequality: q is below 1 - 1/n for every n >= 5, every dimension and every bandwidth. *)
Lemma corner_is_underestimated : forall (p n : nat) h q, (1 <= p)%nat -> (5 <= n)%nat -> 0 < h ->
  (1 - 1 / 3) * q <= mean_at_corner p h -> q < 1 - 1 / INR n.
Proof.
  intros p n h q Hp Hn Hh markov. unfold mean_at_corner in markov.
  pose proof (Rinv_0_lt_compat h Hh) as inverse.
  assert (same : RInt (fun u => / h * normal (/ h * u + 0)) 0 1 = RInt normal 0 (/ h)).
  { pose proof (RInt_comp_lin normal (/ h) 0 0 1 (normal_integrable _ _)) as moved.
    unfold scal in moved. simpl in moved. unfold mult in moved. simpl in moved.
    rewrite moved. f_equal; ring. }
  rewrite same in markov.
  pose proof (normal_half (/ h) ltac:(lra)) as half.
  assert (0 <= RInt normal 0 (/ h)) as above
    by (apply RInt_ge_0; [lra | apply normal_integrable | intros; apply normal_positive]).
  assert (RInt normal 0 (/ h) ^ p <= 0.502).
  { destruct p as [|p]; [lia|]. simpl.
    assert (RInt normal 0 (/ h) ^ p <= 1 ^ p) as less by (apply pow_incr; lra). rewrite pow1 in less.
    apply Rle_trans with (RInt normal 0 (/ h) * 1); [apply Rmult_le_compat_l; lra | lra]. }
  assert (INR 5 <= INR n) as five by (apply le_INR; exact Hn). replace (INR 5) with 5 in five by (simpl; ring).
  assert (1 / INR n <= 1 / 5) by (apply Rmult_le_compat_l; [lra | apply Rinv_le_contravar; lra]). lra.
Qed.

(** The bandwidth of Theorem IV.1. *)
Definition bandwidth (constant p n : R) : R := constant * Rpower (ln n / n) (/ p).

(** bojkovic2024.IV1.lipschitz-condition: the proof takes alpha = L h E|u| = tau/9, which the conditions of the theorem
    do not imply. p = 1, L = 1, tau = 1/2, |F| = 10, epsilon = 0.2, delta = 0.5, gamma = 0.05: n = k = 1060 meet every
    condition on n and k, and for every constant C' that the proof admits L h E|u| exceeds tau/9, where E|u| =
    sqrt(2/pi). *)
Lemma bias_is_not_small :
  let tau := 1 / 2 in let queries := 10 in let epsilon := 0.2 in let delta := 0.5 in let gamma := 0.05 in
  let n := 1060 in
  2 * queries / (epsilon * delta) * ln (queries / gamma) <= n /\
  (3 / tau) ^ 2 * (2 / (epsilon * sqrt (2 * PI)) * ln (1 / gamma)) <= n /\
  1 / delta ^ 2 * ln (queries / gamma) <= n /\
  forall constant, 0 < constant -> 64 / (constant * sqrt (2 * PI)) < tau / 9 ->
    tau / 9 < 1 * bandwidth constant 1 n * sqrt (2 / PI).
Proof.
  intros tau queries epsilon delta gamma n. unfold tau, queries, epsilon, delta, gamma, n.
  repeat split; try enclose. intros constant positive admitted.
  pose proof root_of_two_pi as root.
  assert (64 * 18 <= constant * sqrt (2 * PI)) as large.
  { apply Rmult_lt_compat_r with (r := constant * sqrt (2 * PI)) in admitted; [|apply Rmult_lt_0_compat; lra].
    replace (64 / (constant * sqrt (2 * PI)) * (constant * sqrt (2 * PI))) with 64 in admitted
      by (field; split; lra). lra. }
  unfold bandwidth. rewrite Rinv_1, Rpower_1 by enclose.
  assert (sqrt (2 * PI) <= 2.6) by enclose.
  assert (constant * sqrt (2 * PI) <= constant * 2.6) by (apply Rmult_le_compat_l; lra).
  assert (0.005 <= ln 1060 / 1060 * sqrt (2 / PI)) as rest by enclose.
  rewrite Rmult_1_l, Rmult_assoc.
  apply Rlt_le_trans with (constant * 0.005); [lra | apply Rmult_le_compat_l; lra].
Qed.

Fact log_below_root : forall n, 1 <= n -> ln n <= 2 * sqrt n.
Proof.
  intros n Hn. pose proof (sqrt_lt_R0 n ltac:(lra)) as positive.
  rewrite <- (sqrt_sqrt n) at 1 by lra. rewrite ln_mult by exact positive.
  assert (ln (sqrt n) <= sqrt n); [|lra].
  rewrite <- (ln_exp (sqrt n)) at 2. apply ln_le; [exact positive|]. pose proof (exp_ineq1_le (sqrt n)). lra.
Qed.

Fact bandwidth_vanishes : forall constant p M, 0 < constant -> 1 <= p -> 0 < M ->
  exists n, 1 < n /\ 0 < bandwidth constant p n /\ M * bandwidth constant p n < 1.
Proof.
  intros constant p M Hc Hp HM.
  set (e := Rmin (/ 2) (/ (2 * M * constant))).
  assert (0 < 2 * M * constant) as positive by (repeat apply Rmult_lt_0_compat; lra).
  assert (0 < e) as He by (apply Rmin_pos; [lra | apply Rinv_0_lt_compat; exact positive]).
  assert (small : e <= / (2 * M * constant)) by apply Rmin_r.
  set (n := Rmax 4 (Rpower (2 / Rpower e p) 2)).
  assert (4 <= n) as Hn by apply Rmax_l.
  assert (0 < Rpower e p) as power by apply exp_pos.
  assert (root : 2 / Rpower e p <= sqrt n).
  { rewrite <- (sqrt_pow2 (2 / Rpower e p)) by (left; apply Rdiv_lt_0_compat; lra).
    apply sqrt_le_1_alt. unfold n. rewrite <- (Rpower_pow 2) by (apply Rdiv_lt_0_compat; lra). apply Rmax_r. }
  assert (logarithm : 0 < ln n) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (ratio : ln n / n <= Rpower e p).
  { pose proof (log_below_root n ltac:(lra)) as below. pose proof (sqrt_lt_R0 n ltac:(lra)) as Hr.
    pose proof (sqrt_sqrt n ltac:(lra)) as square.
    apply Rmult_le_reg_r with n; [lra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply Rle_trans with (1 := below). rewrite <- square at 2. rewrite <- Rmult_assoc.
    apply Rmult_le_compat_r; [lra|].
    apply Rmult_le_compat_l with (r := Rpower e p) in root; [|lra].
    replace (Rpower e p * (2 / Rpower e p)) with 2 in root by (field; lra). exact root. }
  exists n. split; [lra|]. split; [apply Rmult_lt_0_compat; [exact Hc | apply exp_pos]|].
  assert (Rpower (ln n / n) (/ p) <= e).
  { rewrite <- (Rpower_1 e) by exact He. replace 1 with (p * / p) by (field; lra). rewrite <- Rpower_mult.
    apply Rle_Rpower_l; [left; apply Rinv_0_lt_compat; lra|]. split; [|exact ratio].
    apply Rdiv_lt_0_compat; lra. }
  unfold bandwidth. apply Rle_lt_trans with (M * (constant * / (2 * M * constant))).
  - apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; lra.
  - replace (M * (constant * / (2 * M * constant))) with (/ 2) by (field; split; lra). lra.
Qed.

(** bojkovic2024.IV1.second-size: the proof needs n >= (3C/tau)^(p+1) (2/(h epsilon (2 pi)^(p/2))) log(1/gamma), where h
    is the bandwidth, which depends on n; the theorem prints (3/tau)^(p+1) (2/(epsilon (2 pi)^(p/2))) log(1/gamma). At
    some n, what the proof needs is more than any multiple M of what is printed, for all constants C and C'. *)
Lemma printed_size_lacks_an_unbounded_factor : forall (p : nat) tau epsilon gamma C C' M,
  (1 <= p)%nat -> 0 < tau -> 0 < epsilon -> 0 < gamma < 1 / 4 -> 0 < C -> 0 < C' -> 0 < M -> exists n, 1 < n /\
  M * ((3 / tau) ^ (p + 1) * (2 / (epsilon * sqrt ((2 * PI) ^ p)) * ln (1 / gamma))) <
  (3 * C / tau) ^ (p + 1) * (2 / (bandwidth C' (INR p) n * epsilon * sqrt ((2 * PI) ^ p)) * ln (1 / gamma)).
Proof.
  intros p tau epsilon gamma C C' M Hp Ht He Hg HC HC' HM.
  assert (0 < C ^ (p + 1)) as power by (apply pow_lt; exact HC).
  assert (1 <= INR p) as dimension by (change 1 with (INR 1); apply le_INR; exact Hp).
  destruct (bandwidth_vanishes C' (INR p) (M / C ^ (p + 1)) HC' dimension) as [n [Hn [positive small]]].
  { apply Rdiv_lt_0_compat; lra. }
  exists n. split; [exact Hn|]. set (h := bandwidth C' (INR p) n) in *.
  assert (0 < sqrt ((2 * PI) ^ p)) as root by (apply sqrt_lt_R0, pow_lt; pose proof PI_RGT_0; lra).
  assert (0 < ln (1 / gamma)) as logarithm.
  { rewrite <- ln_1. apply ln_increasing; [lra|].
    apply Rmult_lt_reg_r with gamma; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (0 < (3 / tau) ^ (p + 1)) as base by (apply pow_lt, Rdiv_lt_0_compat; lra).
  set (printed := (3 / tau) ^ (p + 1) * (2 / (epsilon * sqrt ((2 * PI) ^ p)) * ln (1 / gamma))).
  assert (0 < printed) as some.
  { unfold printed. repeat apply Rmult_lt_0_compat; try lra. apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra. }
  replace ((3 * C / tau) ^ (p + 1) * (2 / (h * epsilon * sqrt ((2 * PI) ^ p)) * ln (1 / gamma)))
    with (C ^ (p + 1) / h * printed).
  - apply Rmult_lt_compat_r; [exact some|]. apply Rmult_lt_reg_r with (h / C ^ (p + 1)); [apply Rdiv_lt_0_compat; lra|].
    replace (C ^ (p + 1) / h * (h / C ^ (p + 1))) with 1 by (field; split; lra).
    replace (M * (h / C ^ (p + 1))) with (M / C ^ (p + 1) * h) by (field; lra). exact small.
  - unfold printed. replace (3 * C / tau) with (C * (3 / tau)) by (field; lra). rewrite (Rpow_mult_distr C (3 / tau)).
    field. repeat split; lra.
Qed.

(** One term of the kernel estimate (2) in dimension p, with the Gaussian kernel and H_0 = I_p, at distance u. *)
Definition kernel_term (p : nat) (h u : R) : R := exp (- ((u / h) ^ 2 / 2)) / (h ^ p * sqrt ((2 * PI) ^ p)).

(** bojkovic2024.D2.bandwidth-power: Theorem D.2 has the scale 1/(h n (2 pi)^(p/2)). If one of n records moves from x to
    distance 1, the estimate at x moves by more than any multiple M of that for every small h, if p >= 2. *)
Lemma sensitivity_exceeds_printed_scale : forall M, 0 < M -> exists h0, 0 < h0 /\
  forall (p : nat) n h, (2 <= p)%nat -> 1 <= n -> 0 < h < h0 ->
  M * (1 / (h * n * sqrt ((2 * PI) ^ p))) < (kernel_term p h 0 - kernel_term p h 1) / n.
Proof.
  intros M HM. exists (Rmin (/ 2) (/ (2 * M))).
  split; [apply Rmin_pos; apply Rinv_0_lt_compat; lra|]. intros p n h Hp Hn [Hh small].
  assert (h < / 2) as half by (eapply Rlt_le_trans; [exact small | apply Rmin_l]).
  assert (h < / (2 * M)) as bound by (eapply Rlt_le_trans; [exact small | apply Rmin_r]).
  assert (0 < sqrt ((2 * PI) ^ p)) as root by (apply sqrt_lt_R0, pow_lt; pose proof PI_RGT_0; lra).
  assert (exp (- ((1 / h) ^ 2 / 2)) <= 1 / 2) as away.
  { apply Rle_trans with (exp (- (2))); [|enclose]. apply Raux.exp_le.
    assert (2 <= 1 / h) as two.
    { apply Rmult_le_reg_r with h; [exact Hh|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    assert (2 * 2 <= 1 / h * (1 / h)) by (apply Rmult_le_compat; lra). lra. }
  destruct p as [|[|p]]; try lia.
  assert (0 < h ^ p <= 1) as power.
  { split; [apply pow_lt; exact Hh|]. rewrite <- (pow1 p). apply pow_incr. lra. }
  unfold kernel_term. replace (- ((0 / h) ^ 2 / 2)) with 0 by (field; lra). rewrite exp_0.
  set (decay := exp (- ((1 / h) ^ 2 / 2))) in *. set (r := sqrt ((2 * PI) ^ S (S p))) in *.
  replace ((1 / (h ^ S (S p) * r) - decay / (h ^ S (S p) * r)) / n)
    with ((1 - decay) / (h * h ^ p) * (1 / (h * n * r))) by (simpl; field; repeat split; lra).
  apply Rmult_lt_compat_r.
  { apply Rdiv_lt_0_compat; [lra | repeat apply Rmult_lt_0_compat; lra]. }
  apply Rmult_lt_reg_r with (h * h ^ p); [apply Rmult_lt_0_compat; lra|].
  replace ((1 - decay) / (h * h ^ p) * (h * h ^ p)) with (1 - decay) by (field; split; lra).
  assert (M * h < 1 / 2).
  { apply Rmult_lt_compat_l with (r := M) in bound; [|exact HM].
    replace (M * / (2 * M)) with (1 / 2) in bound by (field; lra). exact bound. }
  assert (M * (h * h ^ p) <= M * h * 1).
  { rewrite <- Rmult_assoc. apply Rmult_le_compat_l; [|lra]. apply Rmult_le_pos; lra. }
  lra.
Qed.
