"""Configuration: the token, and never all of it."""

import os


def token() -> str | None:
    return os.environ.get("PARCEL_TOKEN")


def mask(value):
    if not value:
        return None
    if len(value) < 12:
        return "***"
    return f"{value[:4]}***{value[-4:]}"   # first and last four


def describe():
    return {"PARCEL_TOKEN": mask(token())}
