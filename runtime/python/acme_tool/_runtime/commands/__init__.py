"""The commands that every tool has."""
