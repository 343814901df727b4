"""Jobs: one is pending when it is asked for first, then running, then done."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .http import Ask, Reply, refused

if TYPE_CHECKING:
    from .upstream import Upstream

# The export of this project fails.
BROKEN = "broken"


@dataclass
class _Export:
    project: str
    asked: int = 0

    @property
    def is_over(self) -> bool:
        return self.asked >= 2

    def state(self, job_id: str) -> dict[str, Any]:
        if not self.is_over:
            progress = {"progress": 0.5, "eta_seconds": 1}
            return {"id": job_id, "status": "running", **progress}
        if self.project == BROKEN:
            return {"id": job_id, "status": "failed"}
        return {"id": job_id, "status": "succeeded", "progress": 1}


class Exports:
    """The jobs of one upstream."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self._jobs: dict[str, _Export] = {}

    def answer(self, ask: Ask, found: re.Match[str]) -> Reply:
        """Start a job, or say how it stands, or give its result."""
        if ask.method == "POST":
            job_id = f"job_{len(self._jobs) + 1}"
            self._jobs[job_id] = _Export(ask.document()["project"])
            return Reply({"id": job_id, "status": "pending"}, status=202)
        job = self._jobs.get(found[1])
        if job is None:
            raise refused(404, "no_such_job", "there is no such job")
        if len(found.groups()) == 1:
            job.asked += 1
            return Reply(job.state(found[1]))
        if not job.is_over:
            raise refused(409, "not_finished", "the job has not finished")
        if job.project == BROKEN:
            raise refused(500, "job_failed", "the job failed")
        lines = "".join(
            f"{json.dumps(item.document())}\n"
            for item in self._upstream.items.values()
            if item.project == job.project
        )
        return Reply(content=lines.encode(), media_type="application/x-ndjson")
