"""The version, declared once; pyproject.toml and the command line read it."""

__version__ = "0.1.0"
