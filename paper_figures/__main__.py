"""`python -m paper_figures [NAME ...]` is `synthbounds figures [NAME ...]`."""

import sys

from synthbounds.cli import main

if __name__ == "__main__":
    sys.argv[1:1] = ["figures"]
    sys.exit(main())
