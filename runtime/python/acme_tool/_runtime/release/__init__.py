"""Builds the standalone program and keeps the version in one place."""
