"""The test kit: a mock of an upstream, and the tool in a home of its own.

It is not part of the wheel or of the standalone program.
"""
