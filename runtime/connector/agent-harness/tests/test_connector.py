"""The checks of the test kit, which hold every connector.

They compare the commands with connector.json and with the requests of conform.toml,
and prove the permission gate for every mode in contract_cases.py, the exit codes,
and the redaction of secrets.
"""

from aos_acme._runtime.testkit import checks

# Each check is a test of this file.
globals().update(checks.TESTS)
