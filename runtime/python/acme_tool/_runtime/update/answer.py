"""The data of an update, of a check and of a dry run, with the members that apply."""

from __future__ import annotations

from typing import Any, TypedDict

from ..notices import Notice


class Plan(TypedDict):
    """The preview of an update."""

    replaces: str
    archive: str | None
    signer_identity: str | None
    signer_issuer: str | None
    manager_command: str | None
    skill_command: str


class Contents(TypedDict):
    """The assets that a release lists; none is verified yet."""

    signed: bool
    has_checksums: bool
    has_this_platform: bool


class _Answer(TypedDict):
    status: str
    previous_version: str
    current_version: str
    target_version: str
    update_available: bool
    install_method: str
    signature_verified: bool
    signature_status: str
    skill_sync_status: str
    skill_sync_command: str


class Answer(_Answer, total=False):
    """The result of an update."""

    command: str
    checksum_verified: bool
    binary_replaced: bool
    archive_sha256: str
    signer_identity: str
    log_index: int
    severity: str
    release_url: str
    remote_version: str
    release: Contents
    skill: dict[str, Any]
    plan: Plan
    notices: list[Notice]
    next_step: str
