#!/usr/bin/env -S python3 -I -S
"""The tool as one file, which an update can replace: a test build, which trusts what `LEDGER_TRUST` names."""

import os
import signal
import sys

PROJECT, VERSION = "@PROJECT@", "1.2.0"
sys.path.insert(0, PROJECT)

import basis  # noqa: E402

basis.VERSION, basis.PROGRAM = VERSION, os.path.realpath(__file__)

import ledger  # noqa: E402

signal.signal(signal.SIGINT, ledger.interrupt)
signal.signal(signal.SIGTERM, ledger.interrupt)
sys.exit(ledger.main(sys.argv[1:]))
