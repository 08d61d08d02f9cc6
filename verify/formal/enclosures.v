(** Interval arithmetic on Coq's integers. The tactics of the library interval compute with machine integers and floats
    unless they are told otherwise, and then a proof rests on axioms about the processor. These rest on the axioms of
    the real numbers alone; they need a precision: without [i_prec] the library takes machine floats again. *)

From Coq Require Import ZArith.
From Interval Require Export Tactic.
From Interval Require Import Float.Specific_ops Float.Specific_stdz.

Module Floats := SpecificFloat StdZRadix2.
Module Enclosures := IntervalTactic Floats.
Export Enclosures.

Ltac enclose := interval with (i_prec 50).
Ltac enclose_integral := integral with (i_prec 50, i_width (-25)%Z).
