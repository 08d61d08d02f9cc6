(** A lemma on vietri2022, "Private Synthetic Data for Multitask Learning and Marginal Queries". *)

From Coq Require Import Reals Lra.
From Formal Require Import enclosures.
Local Open Scope R_scope.

(** The tempered sigmoid of Definition 11, and the prefix query of Definitions 3 and 4. *)
Definition sigmoid (sigma tau x : R) : R := / (1 + exp (- (sigma * (x - tau)))).

Definition prefix (tau x : R) : R := if Rle_dec x tau then 1 else 0.

(** vietri2022.D11.direction: the sigmoid is said to approximate prefix queries, x <= tau. At sigma = 20 it is near 0
    where the query is 1, and near 1 where the query is 0, for every threshold. *)
Lemma sigmoid_approximates_the_complement : forall tau,
  sigmoid 20 tau (tau - 1) < 0.00000001 /\ prefix tau (tau - 1) = 1 /\
  0.99999999 < sigmoid 20 tau (tau + 1) /\ prefix tau (tau + 1) = 0.
Proof.
  intros tau. unfold sigmoid, prefix.
  replace (tau - 1 - tau) with (-1) by ring. replace (tau + 1 - tau) with 1 by ring.
  destruct (Rle_dec (tau - 1) tau); [|lra]. destruct (Rle_dec (tau + 1) tau); [lra|].
  repeat split; enclose.
Qed.
