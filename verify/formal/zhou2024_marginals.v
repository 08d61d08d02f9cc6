(** Lemmas on zhou2024, "Bounding the Excess Risk for Linear Models Trained on Marginal-Preserving, Differentially
    Private, Synthetic Data": noise on marginals, their average error, and Table 2. A [Lemma] proves what the ledger
    says about the claim named in its comment; a [Fact] is a step. Definitions and numbers are the paper's. *)

From Coq Require Import Reals Lra List Bool QArith.
From Coquelicot Require Import Coquelicot.
From Formal Require Import enclosures.
Import ListNotations.
Local Open Scope R_scope.

(** ** Privacy: Lemma 3.3 and Appendix A.3 *)

Definition gaussian (mean sigma x : R) : R := exp (- (((x - mean) / sigma) ^ 2 / 2)) / (sigma * sqrt (2 * PI)).

(** zhou2024.A3.noisy: with sigma = 2 m^(d/2) sqrt(ln(1.25/delta))/epsilon the noisy marginals are not (epsilon,
    delta)-private for m = d = 1, epsilon = 0.99, delta = 1e-6. The record (0, 0) becomes (1, 1): the counts of 0 and of
    1 in both attributes move by 1, so that half their signed sum is Gaussian around 0 on one table and around 2 on the
    other, with the same sigma. That this falls into [30, 60] is an event with P > e^epsilon Q + delta. *)
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

(** zhou2024.11.excess-risk: Sections 1.1 and 5.5 say that except for Heart the excess empirical risk at epsilon = 2 is
    less than 0.02. Table 2 prints 0.491 for Churn and 0.470 for the real data: however these were rounded, the excess
    is at least 0.02. *)
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

(** zhou2024.55.average-error: the average error over the selected marginals is not an upper bound on the largest error
    over all marginals of order d = 2. The marginals of the single attributes are selected: their errors are 0, that of
    the pair is 2, the largest possible. *)
Lemma average_is_no_upper_bound : exists real synthetic : table,
  (distance real synthetic first + distance real synthetic second) / 2 == 0 /\ distance real synthetic pair == 2.
Proof.
  exists [(false, false); (true, true)], [(false, true); (true, false)]. split; vm_compute; reflexivity.
Qed.
