"""`python -m synthbounds` is the command."""

import sys

from synthbounds.cli import main

if __name__ == "__main__":
    sys.exit(main())
