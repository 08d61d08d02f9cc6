(** Interval arithmetic on Coq's integers. By default the tactics of the library interval compute with machine integers
    and floats, and a proof then rests on axioms about the processor. These rest only on the axioms of the real numbers;
    they need a precision: without [i_prec] the library uses machine floats again. *)

From Coq Require Import ZArith.
From Interval Require Export Tactic.
From Interval Require Import Float.Specific_ops Float.Specific_stdz.

Module Floats := SpecificFloat StdZRadix2.
Module Enclosures := IntervalTactic Floats.
Export Enclosures.

Ltac enclose := interval with (i_prec 50).
Ltac enclose_integral := integral with (i_prec 50, i_width (-25)%Z).
