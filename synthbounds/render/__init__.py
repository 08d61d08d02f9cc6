"""Rendering: a result becomes a document, a document becomes text, Markdown or LaTeX. Nothing here computes."""
