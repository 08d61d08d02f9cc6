"""One file, one theorem. A module defines THEOREM; the registry finds it."""
