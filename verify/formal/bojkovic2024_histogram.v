(** Lemmas on bojkovic2024, "Differentially Private Synthetic Data with Private Density Estimation": Lemma A.1 and
    Theorem III.1. A [Lemma] proves what the ledger says about the claim named in its comment; a [Fact] is a step.
    Definitions are what the paper prints. *)

From Coq Require Import Reals Lra Lia List Arith.
From Coquelicot Require Import Coquelicot.
From Flocq Require Import Core.
From Formal Require Import enclosures.
Local Open Scope R_scope.

(** ** Lemma A.1 *)

Fixpoint harmonic (n : nat) : R :=
  match n with O => 0 | S k => harmonic k + / INR (S k) end.

Fact log_of_next : forall n, ln (INR (S n)) <= harmonic n.
Proof.
  induction n as [|n IH]; [simpl; rewrite ln_1; lra|].
  pose proof (lt_0_INR (S n) ltac:(lia)) as positive.
  replace (INR (S (S n))) with (INR (S n) * (1 + / INR (S n))) by (rewrite (S_INR (S n)); field; lra).
  pose proof (Rinv_0_lt_compat _ positive) as inverse.
  rewrite ln_mult by lra.
  assert (ln (1 + / INR (S n)) <= / INR (S n)).
  { rewrite <- (ln_exp (/ INR (S n))) at 2. apply ln_le; [lra | apply exp_ineq1_le]. }
  change (harmonic (S n)) with (harmonic n + / INR (S n)). lra.
Qed.

(** bojkovic2024.A1.harmonic: the sum of 1/i for i = 1, ..., n is at most log n for no n >= 1. *)
Lemma harmonic_exceeds_log : forall n, (1 <= n)%nat -> ln (INR n) < harmonic n.
Proof.
  intros n Hn. apply Rlt_le_trans with (ln (INR (S n))); [|apply log_of_next].
  pose proof (lt_0_INR n ltac:(lia)). apply ln_increasing; [lra|]. rewrite S_INR. lra.
Qed.

(** ** Theorem III.1, its corollary and its proof *)

Definition laplace (scale x : R) : R := exp (- (Rabs x / scale)) / (2 * scale).

Fact laplace_mass : forall scale t, 0 < scale -> 0 <= t ->
  0 <= RInt (laplace scale) (- t) t <= t / scale.
Proof.
  intros scale t Hs Ht.
  assert (integrable : ex_RInt (laplace scale) (- t) t).
  { apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros z _. apply continuity_pt_filterlim.
    unfold laplace. reg; lra. }
  assert (bounds : forall x, 0 <= laplace scale x <= / (2 * scale)).
  { intros x. unfold laplace.
    pose proof (exp_pos (- (Rabs x / scale))) as positive.
    assert (exp (- (Rabs x / scale)) <= exp 0) as small.
    { apply Raux.exp_le. assert (0 <= Rabs x / scale); [|lra].
      apply Rmult_le_pos; [apply Rabs_pos | left; apply Rinv_0_lt_compat; lra]. }
    rewrite exp_0 in small. pose proof (Rinv_0_lt_compat (2 * scale) ltac:(lra)). split.
    - apply Rmult_le_pos; lra.
    - rewrite <- Rmult_1_l. apply Rmult_le_compat_r; lra. }
  split.
  - apply RInt_ge_0; [lra | exact integrable | intros; apply bounds].
  - apply Rle_trans with (RInt (fun _ => / (2 * scale)) (- t) t).
    + apply RInt_le; [lra | exact integrable | apply (ex_RInt_const (V := R_NormedModule)) | intros; apply bounds].
    + rewrite RInt_const. unfold scal. simpl. unfold mult. simpl. right. field. lra.
Qed.

(** bojkovic2024.C.noise-scale: after (6) the proof says that the largest |omega_j| is at most sigma log|Omega|/gamma
    with probability at least 1 - gamma, where Theorem III.1 sets sigma = delta/log(|F|/gamma). Algorithm 2 draws
    omega_j with scale 2/epsilon. For p = 2 Boolean attributes, |Omega| = 4, and their |F| = 1 + 2 + 1 marginals, delta
    = 0.5, gamma = 0.2: for every epsilon <= 0.2 the probability, that of one omega_j to the power |Omega|, is below 2
    gamma^4, and so below 1 - gamma. *)
Lemma noise_is_larger : forall epsilon, 0 < epsilon <= 0.2 ->
  let cells := 4 in let queries := 4 in let delta := 0.5 in let gamma := 0.2 in
  let sigma := delta / ln (queries / gamma) in
  let level := sigma * ln cells / gamma in
  RInt (laplace (2 / epsilon)) (- level) level ^ 4 < 2 * gamma ^ 4 < 1 - gamma.
Proof.
  intros epsilon He cells queries delta gamma sigma level. split; [|unfold gamma; lra].
  assert (1.1 <= level <= 1.2) as Hl by (unfold level, sigma, cells, queries, delta, gamma; split; enclose).
  assert (0 < 2 / epsilon) as Hs by (apply Rdiv_lt_0_compat; lra).
  destruct (laplace_mass (2 / epsilon) level Hs ltac:(lra)) as [low high].
  replace (level / (2 / epsilon)) with (level * epsilon / 2) in high by (field; lra).
  assert (level * epsilon <= 1.2 * 0.2) by (apply Rmult_le_compat; lra).
  apply Rle_lt_trans with (0.12 ^ 4); [apply pow_incr; lra | unfold gamma; lra].
Qed.

(** bojkovic2024.C.logarithm: Appendix C-B substitutes delta/log(|F|/delta) for sigma, while Theorem III.1 sets
    delta/log(|F|/gamma). For gamma < delta, as in the paper's experiments, the former is larger for every |F| >= 1. *)
Lemma two_values_of_sigma : forall queries delta gamma, 1 <= queries -> 0 < gamma < delta -> delta <= 1 / 2 ->
  delta / ln (queries / gamma) < delta / ln (queries / delta).
Proof.
  intros queries delta gamma HF Hg Hd. apply Rmult_lt_compat_l; [lra|].
  assert (1 < queries / delta).
  { apply Rmult_lt_reg_r with delta; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (queries / delta < queries / gamma).
  { apply Rmult_lt_compat_l; [lra|]. apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; lra | lra]. }
  assert (0 < ln (queries / delta)) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (ln (queries / delta) < ln (queries / gamma)) by (apply ln_increasing; lra).
  apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; lra | lra].
Qed.

Local Open Scope nat_scope.

Fact sum_of_small : forall bound counts, (forall c, In c counts -> c <= bound) ->
  list_sum counts <= length counts * bound /\
  (list_sum counts = length counts * bound -> forall c, In c counts -> c = bound).
Proof.
  intros bound counts. induction counts as [|c others IH]; intros small; [simpl; intuition lia|].
  destruct IH as [sum equal]; [intros; apply small; right; assumption|].
  pose proof (small c (or_introl eq_refl)) as here. simpl. split; [lia|].
  intros total d [<-|within]; [lia|]. apply equal; [lia | assumption].
Qed.

Fact some_count_is_large : forall counts, counts <> nil -> ~ Nat.divide (length counts) (list_sum counts) ->
  exists c, In c counts /\ list_sum counts < length counts * c.
Proof.
  intros counts some indivisible.
  destruct (Exists_dec (fun c => list_sum counts < length counts * c) counts (fun c => lt_dec _ _)) as [large|none].
  - apply Exists_exists in large. exact large.
  - exfalso. apply indivisible.
    set (cells := length counts) in *. set (n := list_sum counts) in *.
    assert (cells <> 0) by (unfold cells; destruct counts; [congruence | discriminate]).
    assert (small : forall c, In c counts -> c <= n / cells).
    { intros c within. apply Nat.div_le_lower_bound; [assumption|].
      destruct (le_lt_dec (cells * c) n); [assumption|]. exfalso. apply none, Exists_exists. exists c. auto. }
    destruct (sum_of_small _ _ small) as [sum _]. fold n cells in sum.
    pose proof (Nat.mul_div_le n cells ltac:(assumption)). exists (n / cells). lia.
Qed.

Local Open Scope R_scope.

(** bojkovic2024.III1.frequencies: the proof takes every empirical frequency to be at most tau2 except with probability
    exp(-cn). For the uniform distribution tau2 = 1/|Omega|, and whenever n is not a multiple of |Omega| every sample
    has a frequency above it, for any counts of the |Omega| points. *)
Lemma some_frequency_exceeds_tau2 : forall counts, counts <> nil -> ~ Nat.divide (length counts) (list_sum counts) ->
  exists c, In c counts /\ 1 / INR (length counts) < INR c / INR (list_sum counts).
Proof.
  intros counts some indivisible. destruct (some_count_is_large counts some indivisible) as [c [within large]].
  exists c. split; [exact within|].
  assert (cells : (0 < length counts)%nat) by (destruct counts; [congruence | simpl; lia]).
  assert (n : (0 < list_sum counts)%nat).
  { destruct (list_sum counts); [|lia]. exfalso. apply indivisible. apply Nat.divide_0_r. }
  apply lt_0_INR in cells, n. apply lt_INR in large. rewrite mult_INR in large.
  apply Rmult_lt_reg_r with (INR (length counts) * INR (list_sum counts)); [apply Rmult_lt_0_compat; lra|].
  replace (1 / INR (length counts) * (INR (length counts) * INR (list_sum counts))) with (INR (list_sum counts))
    by (field; lra).
  replace (INR c / INR (list_sum counts) * (INR (length counts) * INR (list_sum counts)))
    with (INR (length counts) * INR c) by (field; lra). exact large.
Qed.

(** bojkovic2024.III1.probability: Theorem III.1 promises that the data are accurate except with probability 3 gamma +
    exp(-cn). Its proof ends with Theorem II.1, which allows 4 gamma for itself, and for every n above log(1/gamma)/c
    that is more. *)
Lemma promised_is_less_than_invoked : forall gamma c n, 0 < gamma -> 0 < c -> ln (/ gamma) / c < n ->
  3 * gamma + exp (- (c * n)) < 4 * gamma.
Proof.
  intros gamma c n Hg Hc Hn. assert (exp (- (c * n)) < gamma); [|lra].
  rewrite <- (exp_ln gamma) at 1 by exact Hg. apply exp_increasing. rewrite ln_Rinv in Hn by exact Hg.
  apply Rmult_lt_compat_r with (r := c) in Hn; [|exact Hc].
  unfold Rdiv in Hn. rewrite Rmult_assoc, Rinv_l, Rmult_1_r in Hn by lra. lra.
Qed.

(** The probability that Algorithm 2 leaves no cell without mass: a cell with c records stays above 0 except with the
    probability exp(-epsilon c/2)/2 that noise of scale 2/epsilon is -c or less, independently of the others. *)
Definition none_emptied (epsilon : R) (counts : list nat) : R :=
  fold_right (fun c chance => (1 - exp (- (epsilon * INR c / 2)) / 2) * chance) 1 counts.

Fact none_emptied_at_most : forall epsilon x counts, 0 < epsilon -> 0 <= none_emptied epsilon counts <=
  exp (- (exp (- x) / 2 * (INR (length counts) * (1 + x) - epsilon * INR (list_sum counts) / 2))).
Proof.
  intros epsilon x counts He. induction counts as [|c others IH].
  - simpl. replace (exp (- x) / 2 * (0 * (1 + x) - epsilon * 0 / 2)) with 0 by field. rewrite Ropp_0, exp_0. lra.
  - cbn [none_emptied fold_right length list_sum]. fold (none_emptied epsilon others) (list_sum others).
    rewrite S_INR, plus_INR. set (y := epsilon * INR c / 2).
    assert (0 <= y) as Hy.
    { unfold y. pose proof (pos_INR c). assert (0 <= epsilon * INR c) by (apply Rmult_le_pos; lra). lra. }
    assert (exp (- y) <= 1) as less by (rewrite <- exp_0; apply Raux.exp_le; lra).
    assert (tangent : exp (- x) * (1 + x - y) <= exp (- y)).
    { replace (exp (- y)) with (exp (- x) * exp (x - y)) by (rewrite <- exp_plus; f_equal; ring).
      apply Rmult_le_compat_l; [left; apply exp_pos|]. pose proof (exp_ineq1_le (x - y)). lra. }
    pose proof (exp_ineq1_le (- (exp (- y) / 2))) as below.
    split; [apply Rmult_le_pos; lra|].
    apply Rle_trans with (exp (- (exp (- x) / 2 * (1 + x - y))) *
      exp (- (exp (- x) / 2 * (INR (length others) * (1 + x) - epsilon * INR (list_sum others) / 2)))).
    + apply Rmult_le_compat; [lra | lra | | apply IH].
      apply Rle_trans with (1 := below). apply Raux.exp_le. lra.
    + rewrite <- exp_plus. right. f_equal. unfold y. field.
Qed.

(** bojkovic2024.III1.kappa: under the conditions on n the statement that the Renyi condition number is at most K except
    with probability 3 gamma + exp(-cn) is false, for all constants c, C1 and C2. Uniform nu on 32 points, tau1 = tau2 =
    1/32, one query, delta = gamma = 0.1: for every c there are epsilon and n that meet every condition on n, for which,
    given any sample, the probability that no cell is left without mass is below 1 - 3 gamma - exp(-cn). If one is, the
    condition number is infinite. *)
Lemma condition_number_is_infinite : forall c, 0 < c -> exists epsilon n, 0 < epsilon /\
  2 * 1 / (epsilon * 0.1) * ln (1 / 0.1) <= INR n /\
  8 / (1 / 32) ^ 2 * (32 + 2 * ln (1 / 0.1)) <= INR n /\
  8 * 0.1 * 32 * (1 + 1 / 32 * 32) * ln 32 / (1 / 32 * 0.1 * ln (1 / 0.1)) <= INR n /\
  1 / 0.1 ^ 2 * ln (1 / 0.1) <= INR n /\
  forall counts, length counts = 32%nat -> list_sum counts = n ->
    none_emptied epsilon counts < 1 - (3 * 0.1 + exp (- (c * INR n))).
Proof.
  intros c Hc. set (epsilon := Rmin (1 / 10 ^ 4) c).
  assert (0 < epsilon) as He by (apply Rmin_pos; lra).
  assert (epsilon <= 1 / 10 ^ 4) as small by apply Rmin_l. assert (epsilon <= c) as below by apply Rmin_r.
  clearbody epsilon.
  set (least := 20 * ln 10 / epsilon).
  assert (46 <= 20 * ln 10 <= 46.1) as Hten by (split; enclose).
  assert (product : least * epsilon = 20 * ln 10) by (unfold least; field; lra).
  assert (460000 <= least) as many.
  { apply Rmult_le_reg_r with epsilon; [exact He|]. rewrite product. lra. }
  destruct (nfloor_ex least ltac:(lra)) as [k Hk]. exists epsilon, (S k). rewrite S_INR. clearbody least.
  repeat split.
  - exact He.
  - replace (2 * 1 / (epsilon * 0.1) * ln (1 / 0.1)) with (least : R); [lra|].
    replace (1 / 0.1) with 10 by lra. apply Rmult_eq_reg_r with epsilon; [|apply Rgt_not_eq; exact He].
    rewrite product. replace 0.1 with (1 / 10) by lra. field. lra.
  - apply Rle_trans with 460000; [enclose | lra].
  - apply Rle_trans with 460000; [enclose | lra].
  - apply Rle_trans with 460000; [enclose | lra].
  - intros counts cells total.
    destruct (none_emptied_at_most epsilon (epsilon * INR (S k) / 64) counts He) as [_ most].
    rewrite cells, total in most. set (x := epsilon * INR (S k) / 64) in most.
    assert (x <= 0.721) as Hx.
    { unfold x. rewrite S_INR. assert (epsilon * INR k <= epsilon * least) by (apply Rmult_le_compat_l; lra). lra. }
    replace (INR 32 * (1 + x) - epsilon * INR (S k) / 2) with 32 in most by (unfold x; simpl; field).
    assert (0.48 <= exp (- x)) as half.
    { apply Rle_trans with (exp (- 0.721)); [enclose | apply Raux.exp_le; lra]. }
    assert (exp (- (exp (- x) / 2 * 32)) <= 0.001) as tiny.
    { apply Rle_trans with (exp (- (7.6))); [apply Raux.exp_le; lra | enclose]. }
    assert (exp (- (c * (INR k + 1))) <= 0.1) as late.
    { apply Rle_trans with (exp (- (46))); [|enclose].
      assert (epsilon * least <= c * (INR k + 1)) by (apply Rmult_le_compat; lra).
      apply Raux.exp_le. lra. }
    lra.
Qed.

(** The second condition on n of Theorem III.1, and what Corollary III.1.1 prints for it. *)
Definition second_condition (tau1 cells gamma : R) : R := 8 / tau1 ^ 2 * (cells + 2 * ln (1 / gamma)).

Definition second_condition_of_corollary (cells queries delta gamma : R) : R :=
  (8 * cells ^ 3 + 16 * cells ^ 2 * ln (1 / gamma)) / (gamma * ln (queries / delta)).

(** bojkovic2024.III11.second: for uniform nu, tau1 = 1/|Omega|, the corollary prints a condition that differs from the
    theorem's. With the paper's delta = 0.5 and gamma = 0.25 and marginals of two of p Boolean attributes it requires
    fewer records than the theorem at p = 10 (1024 points, 56 queries), and more at p = 2 (4 points, 4 queries). *)
Lemma corollary_has_another_condition :
  second_condition_of_corollary 1024 56 0.5 0.25 < second_condition (1 / 1024) 1024 0.25 /\
  second_condition (1 / 4) 4 0.25 < second_condition_of_corollary 4 4 0.5 0.25.
Proof. unfold second_condition, second_condition_of_corollary. split; enclose. Qed.
