"""The documentation site: hand-written pages, and pages made from the registry, the ledger, the parser and benchmarks.

`python -m docs_site.build` writes Markdown into a build folder, lets mkdocs turn it into HTML that needs no network,
and checks every link. Nothing here computes results.
"""
