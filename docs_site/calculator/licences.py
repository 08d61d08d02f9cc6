def licences_page() -> str:
    return "<!doctype html><title>x</title>"
