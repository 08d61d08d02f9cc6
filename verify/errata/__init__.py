"""What authors are told: for each paper a page, a letter and a picture of what falls, all generated from the ledger.

`python -m verify.errata` runs the checks and writes docs/errata. Every sentence comes from a claim, and every number
from a check run at that moment; if a table is not available, the page says "not run".
"""
