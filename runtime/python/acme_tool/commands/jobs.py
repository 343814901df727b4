"""Jobs: start, state and result are three commands. An example, and yours to replace."""

from __future__ import annotations

import re
from typing import TypedDict

from .._runtime import wire
from .._runtime.command import ALWAYS, STRING, Call, Command, Param, Plan, change
from .._runtime.fault import SERVER, VALIDATION, Fault
from .._runtime.rest import NDJSON, Ask
from .._runtime.schemas import Schema
from .._runtime.wire import reading
from ..about import TOOL
from ..client import Client, Item, by_id
from .items import PROJECT, check_projects

# It goes into command lines.
_JOB_ID = re.compile(r"job_[A-Za-z0-9]{1,40}")

STATUSES = ("pending", "running", "succeeded", "failed", "cancelled")

JOB_ID = Param("id", STRING, "job_id of the job", required=True)


class JobState(TypedDict):
    """The state of a job, with the commands to continue."""

    job_id: str
    status: str
    progress: float | None
    eta_seconds: int | None
    poll: str
    result: str


class JobResult(TypedDict):
    """The result of a job: a single page."""

    job_id: str
    items: list[Item]
    count: int
    next_cursor: str | None
    has_more: bool


def _ask(client: Client, ask: Ask, job_id: str = "") -> JobState:
    with reading(client, "a job"):
        found = client.document(ask)
        named = wire.identifier(found["id"])
        progress, eta = found.get("progress"), found.get("eta_seconds")
        if found["status"] not in STATUSES or job_id not in ("", named):
            raise ValueError("an unknown status, or another job")
        if not _JOB_ID.fullmatch(named):
            raise ValueError("not the id of a job")
        return {
            "job_id": named,
            "status": found["status"],
            "progress": None if progress is None else wire.fraction(progress),
            "eta_seconds": None if eta is None else wire.count(eta),
            "poll": f"{TOOL} job status --id {named}",
            "result": f"{TOOL} job result --id {named}",
        }


def _job_id(call: Call) -> str:
    job_id = call.text("id")
    if not _JOB_ID.fullmatch(job_id):
        raise Fault(
            VALIDATION,
            f"`{job_id}` is not the id of a job",
            fix="Use the job_id from the response that started the job",
        )
    return job_id


def _plan_export(call: Call) -> Plan:
    project = call.text("project")
    check_projects(project)
    wanted = {"project": project}

    def apply(_key: str) -> JobState:
        return _ask(call.client(Client), Ask("POST", ("v1", "exports"), body=wanted))

    return Plan(
        preview={"changes": [change("start", "export", None, after=wanted)]},
        account=call.allowed("items:write"),
        apply=apply,
    )


def _status(call: Call) -> JobState:
    job_id = _job_id(call)
    job = _ask(call.client(Client), Ask("GET", ("v1", "jobs", job_id)), job_id)
    if job["status"] == "failed":
        raise Fault(
            SERVER,
            f"the job `{job_id}` failed",
            fix="Start it again with a new dry run",
            job_id=job_id,
            status=job["status"],
        )
    return job


def _result(call: Call) -> JobResult | None:
    job_id = _job_id(call)
    client = call.client(Client)
    ask = Ask("GET", ("v1", "jobs", job_id, "result"), accept=NDJSON)
    with client.opened(ask) as response:
        content = client.content(response)
    if call.is_raw:
        call.app.printer.raw(content)
        return None
    with reading(client, "the result of a job"):
        lines = [line for line in content.splitlines() if line.strip()]
        items = list(by_id([client.parse(line) for line in lines]).values())
    return {
        "job_id": job_id,
        "items": items,
        "count": len(items),
        "next_cursor": None,
        "has_more": False,
    }


COMMANDS = (
    Command(
        path="export start",
        summary="Start the export of a project as a job",
        detail="Returns at once; `job status` reports the progress.",
        params=(Param("project", STRING, PROJECT.help, required=True),),
        output="job",
        examples=(
            "export start --project atlas --dry-run",
            "export start --project atlas --confirm ct_TOKEN",
        ),
        plan=_plan_export,
        confirm=ALWAYS,
    ),
    Command(
        path="job status",
        summary="Show the state of a job",
        params=(JOB_ID,),
        output="job",
        examples=("job status --id job_1",),
        run=_status,
    ),
    Command(
        path="job result",
        summary="Show the result of a finished job",
        detail="With --format raw, the lines are printed unchanged.",
        params=(JOB_ID,),
        output="job_result",
        examples=(
            "job result --id job_1 --fields id,title",
            "job result --id job_1 --format raw",
        ),
        run=_result,
        raw=True,
    ),
)

SCHEMAS = {
    "job": Schema(JobState),
    "job_result": Schema(JobResult, items="item", untrusted=("items",)),
}
