"""The installed Agent Skill, kept at the version of the program.

The installer is `npx skills`. Whether it did its work is decided by the digests of the
installed files alone: its exit code and its words are wrong in both directions.
"""
