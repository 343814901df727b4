"""The tests use the fixtures of the test kit: `run`, `backend`, `call` and more.

`aos_acme/_runtime/testkit/fixtures.py` describes them. Add your own here.
"""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
# This checkout is what is tested, whatever is installed.
sys.path[:0] = [str(TESTS), str(TESTS.parent)]
PLUGIN = "aos_acme._runtime.testkit.fixtures"


def pytest_configure(config):
    config.pluginmanager.import_plugin(PLUGIN)
