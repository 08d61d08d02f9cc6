"""Our kinds of files, by the field that identifies each, so that a reader can say which other kind it was given."""

FILES = {f"synthbounds_{kind}": f"a {kind}" for kind in ("model", "query", "release", "schema")}
FILES["synthbounds_account"] = "an account"
