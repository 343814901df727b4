"""Every good fixture passes, every broken one fails exactly the item that its name begins with."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from host import FIXTURES
from judge import Judge

Verdicts = dict[tuple[str, str], "Future[dict[str, list[str]]]"]


def packages(runtime: str) -> list[str]:
    return sorted(folder.name for folder in (FIXTURES / runtime).iterdir() if folder.is_dir())


CASES = [(runtime, name) for runtime in ("python", "node") for name in packages(runtime)]


@pytest.fixture(scope="module")
def verdicts(request: pytest.FixtureRequest) -> Verdicts:
    """Verdicts, made side by side: most of the time is waiting for packages that hang."""
    selected = {item.name for item in request.session.items}
    test = test_a_package_fails_exactly_what_its_name_says.__name__
    cases = [case for case in CASES if f"{test}[{case[0]}-{case[1]}]" in selected]
    pool = ThreadPoolExecutor(6)
    found = {case: pool.submit(Judge(FIXTURES.joinpath(*case), case[0]).judge) for case in cases}
    pool.shutdown(wait=False)
    return found


@pytest.mark.parametrize(("runtime", "name"), CASES, ids=lambda value: value)
def test_a_package_fails_exactly_what_its_name_says(
    runtime: str, name: str, verdicts: Verdicts
) -> None:
    failed = verdicts[runtime, name].result()
    expected = [] if name.startswith("good") else [name.partition("_")[0].upper()]
    assert list(failed) == expected, failed
