"""Jobs of the example upstream: running at the first request, then done."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from acme_tool._runtime.testkit.mock import (
    NDJSON,
    Reply,
    Request,
    refused,
)

from . import Upstream

# The export of this project fails.
BROKEN = "broken"


@dataclass
class Export:
    """One job."""

    project: str
    asked: int = 0

    @property
    def is_over(self) -> bool:
        """Whether it has finished."""
        return self.asked >= 2

    def state(self, job_id: str) -> dict[str, Any]:
        """Return the job as the API shows it."""
        if not self.is_over:
            progress = {"progress": 0.5, "eta_seconds": 1}
            return {"id": job_id, "status": "running", **progress}
        if self.project == BROKEN:
            return {"id": job_id, "status": "failed"}
        return {"id": job_id, "status": "succeeded", "progress": 1}


def add(upstream: Upstream) -> None:
    """Add the routes of exports."""
    jobs: dict[str, Export] = {}

    def start(request: Request) -> Reply:
        job_id = f"job_{len(jobs) + 1}"
        jobs[job_id] = Export(request.json()["project"])
        return Reply({"id": job_id, "status": "pending"}, status=202)

    def find(request: Request) -> Export:
        if request.values["id"] not in jobs:
            raise refused(404, "no_such_job", "there is no such job")
        return jobs[request.values["id"]]

    def status(request: Request) -> Reply:
        job = find(request)
        job.asked += 1
        return Reply(job.state(request.values["id"]))

    def result(request: Request) -> Reply:
        job = find(request)
        if not job.is_over:
            raise refused(409, "not_finished", "the job has not finished")
        if job.project == BROKEN:
            raise refused(500, "job_failed", "the job failed")
        items = upstream.items.values()
        found = [item.document() for item in items if item.project == job.project]
        lines = "".join(f"{json.dumps(item)}\n" for item in found)
        return Reply(content=lines.encode(), media_type=NDJSON)

    upstream.route("POST /v1/exports", "items:write", start)
    upstream.route("GET /v1/jobs/{id}", "items:read", status)
    upstream.route("GET /v1/jobs/{id}/result", "items:read", result)
