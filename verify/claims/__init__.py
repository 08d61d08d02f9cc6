"""One file for each part of a paper. A module defines CLAIMS; the ledger finds it."""
