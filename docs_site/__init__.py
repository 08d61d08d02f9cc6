"""The documentation site: pages by hand, pages generated from the registry, the ledger, the parser and benchmarks.

`python -m docs_site.build` writes Markdown into a build folder, lets mkdocs turn it into HTML that needs no network,
and checks every link. Nothing here computes a result of its own.
"""
