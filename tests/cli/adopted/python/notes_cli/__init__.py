"""Keeps notes."""

__version__ = "1.2.0"
