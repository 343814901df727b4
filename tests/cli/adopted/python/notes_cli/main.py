"""The command line."""

import json
import sys

from .contract_gen import SCHEMA_VERSION, exit_for, retryable


def envelope(code=None, data=None):
    """A success, or the failure with this code."""
    head = {"ok": code is None, "schema_version": SCHEMA_VERSION}
    if code is None:
        return {**head, "data": data, "meta": {"duration_ms": 0}}
    error = {"code": code, "message": code, "details": {}, "retryable": retryable(code)}
    return {**head, "error": error, "meta": {"duration_ms": 0}}


def main(arguments=None):
    """Runs the tool; gives the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    code = None if len(arguments) == 1 else "E_USAGE"
    print(json.dumps(envelope(code, {"notes": arguments})))
    return 0 if code is None else exit_for(code)


if __name__ == "__main__":
    sys.exit(main())
