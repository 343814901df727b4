"""The credential for an upstream: keyring of the system, encrypted file, environment.

Nothing here prints, and no fault repeats a value.
"""
