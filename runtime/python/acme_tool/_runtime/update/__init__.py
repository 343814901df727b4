"""Brings the program and its Agent Skill to another version in one call.

discover, download, verify_signature, verify_checksum, replace, skill_sync: all before
the swap happens beside the installed program, the swap is one rename, and only a
release that the release workflow of this repository signed gets that far. What a
release must look like is in the README of the
runtime.
"""
