"""The checks that hold every connector, as functions for `pytest`.

`test_connector.py` takes them all: `TESTS` has each by its name.
"""

from . import calls, forms, settings, surface

TESTS = {
    name: check
    for module in (surface, calls, forms, settings)
    for name, check in vars(module).items()
    if name.startswith("test_")
}
