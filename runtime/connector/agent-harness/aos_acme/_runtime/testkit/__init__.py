"""The test kit: a mock of the API, fixtures of pytest, and the checks that hold every connector.

Tests use it, the connector never does.
"""

import pytest

# A check that fails shows the values that it compared.
for _name in ("calls", "fixtures", "forms", "surface"):
    pytest.register_assert_rewrite(f"{__name__}.{_name}")
