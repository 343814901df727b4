"""Agent CLI: start with `python -m`, or read `commands/registry.py` for what it can do."""
