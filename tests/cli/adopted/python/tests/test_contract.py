"""The generated module against a table of its own."""

import unittest

from notes_cli import contract_gen
from notes_cli.main import envelope, main

CORE = {
    "E_INTEGRITY": (1, False),
    "E_IO": (1, False),
    "E_UNKNOWN": (1, False),
    "E_USAGE": (2, False),
    "E_VALIDATION": (2, False),
    "E_NOT_FOUND": (3, False),
    "E_AUTH": (4, False),
    "E_CONFIG": (4, False),
    "E_FORBIDDEN": (4, False),
    "E_CONFIRMATION_REQUIRED": (5, False),
    "E_CONFLICT": (6, False),
    "E_NETWORK": (7, True),
    "E_RATE_LIMITED": (7, True),
    "E_SERVER": (7, True),
    "E_TIMEOUT": (8, True),
    "E_INTERRUPTED": (130, True),
}
OWN = {"E_PROJECT_INVALID": (2, False), "E_BACKEND_UNAVAILABLE": (4, False)}


class Contract(unittest.TestCase):
    def test_codes(self):
        found = {
            code: (contract_gen.exit_for(code), contract_gen.retryable(code))
            for code in contract_gen.CODES
        }
        self.assertEqual(found, {**CORE, **OWN})
        core = {code for code, spec in contract_gen.CODES.items() if spec["core"]}
        self.assertEqual(core, set(CORE))
        self.assertEqual((contract_gen.exit_for("E_NOPE"), contract_gen.retryable("E_NOPE")), (1, False))

    def test_envelopes(self):
        self.assertEqual(list(envelope()), contract_gen.SUCCESS_ENVELOPE_KEYS)
        failure = envelope("E_IO")
        self.assertEqual(set(failure), set(contract_gen.ERROR_ENVELOPE_KEYS))
        self.assertEqual(list(failure["error"]), contract_gen.ERROR_OBJECT_KEYS)
        self.assertEqual(list(failure["meta"]), contract_gen.META_REQUIRED_KEYS)
        self.assertEqual(contract_gen.META_OPTIONAL_KEYS, ["notices"])

    def test_exit(self):
        self.assertEqual((main(["x"]), main([])), (0, 2))


if __name__ == "__main__":
    unittest.main()
