"""Work that the upstream does by itself: start, state and result are three commands."""

from __future__ import annotations

import re
from typing import TypedDict

from ..about import TOOL
from ..client import Item, Job
from ..command import ALWAYS, STRING, Call, Command, Param, Plan
from ..fault import SERVER, VALIDATION, Fault
from ..schemas import Schema
from .item_writes import allowed, change
from .items import PROJECT, check_projects

_JOB_ID = re.compile(r"job_[A-Za-z0-9]{1,40}")

JOB_ID = Param("id", STRING, "job_id of the job", required=True)


class JobState(TypedDict):
    """How a job stands, with the commands that go on from there."""

    job_id: str
    status: str
    progress: float | None
    eta_seconds: int | None
    poll: str
    result: str


class JobResult(TypedDict):
    """What a job made: a page that is the only one."""

    job_id: str
    items: list[Item]
    count: int
    next_cursor: str | None
    has_more: bool


def _describe(job: Job) -> JobState:
    # It goes into command lines.
    if not _JOB_ID.fullmatch(job["id"]):
        raise Fault(
            SERVER,
            "the upstream gave a job without a usable id",
            fix="Wait a moment and run the command again",
        )
    return {
        "job_id": job["id"],
        "status": job["status"],
        "progress": job["progress"],
        "eta_seconds": job["eta_seconds"],
        "poll": f"{TOOL} job status --id {job['id']}",
        "result": f"{TOOL} job result --id {job['id']}",
    }


def _job_id(call: Call) -> str:
    job_id = call.text("id")
    if not _JOB_ID.fullmatch(job_id):
        raise Fault(
            VALIDATION,
            f"`{job_id}` is not the id of a job",
            fix="Use the job_id that the command gave which started the job",
        )
    return job_id


def _plan_export(call: Call) -> Plan:
    project = call.text("project")
    check_projects(project)
    wanted = {"project": project}
    return Plan(
        preview={"changes": [change("start", "export", None, after=wanted)]},
        account=allowed(call, "items:write"),
        apply=lambda _key: _describe(call.app.client.start_export(project)),
    )


def _status(call: Call) -> JobState:
    job = call.app.client.job(_job_id(call))
    if job["status"] == "failed":
        raise Fault(
            SERVER,
            f"the job `{job['id']}` failed",
            fix="Start it again with a new dry run",
            job_id=job["id"],
            status=job["status"],
        )
    return _describe(job)


def _result(call: Call) -> JobResult | None:
    job_id = _job_id(call)
    content = call.app.client.job_result(job_id)
    if call.is_raw:
        call.app.printer.raw(content)
        return None
    items = call.app.client.job_items(content)
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
        detail="Returns at once; `job status` says how it stands.",
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
        summary="Say how a job stands",
        params=(JOB_ID,),
        output="job",
        examples=("job status --id job_1",),
        run=_status,
    ),
    Command(
        path="job result",
        summary="Give what a finished job made",
        detail="With --format raw the lines pass through as they are.",
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
