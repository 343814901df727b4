"""An agent-facing connector. The release version lives here and in pyproject.toml."""

__version__ = "0.1.0"
