"""Jobs: started, followed, fetched."""

from __future__ import annotations

from acme_tool._runtime.testkit.sandbox import (
    Sandbox,
)

from mock_upstream.exports import BROKEN

RESULT = ("job", "result", "--id", "job_1")


def test_a_job_is_started_followed_and_fetched(tool: Sandbox) -> None:
    job = tool.confirmed("export", "start", "--project", "atlas").ok()
    assert job["status"] == "pending"
    tool.run(*RESULT).fails("E_CONFLICT")
    states = [tool.run(*job["poll"].split()[1:]).ok()["status"] for _ in range(2)]
    assert states == ["running", "succeeded"]
    assert tool.run(*RESULT, "--fields", "id").ok()["count"] == 65
    assert len(tool.run(*RESULT, "--format", "raw").lines) == 65


def test_a_job_that_failed_is_an_error(tool: Sandbox) -> None:
    tool.confirmed("export", "start", "--project", BROKEN).ok()
    tool.run("job", "status", "--id", "job_1").ok()
    details = tool.run("job", "status", "--id", "job_1").fails("E_SERVER")
    assert details["status"] == "failed"
