"""What authors are told: a page a paper, a letter a paper and a picture of what falls, all made from the ledger.

`python -m verify.errata` runs the checks and writes docs/errata. Every sentence is that of a claim, and every number
that of a check which was run just then; where a table is not here, the page says "not run".
"""
