"""Looking at several projects with one call. An example, and yours to replace."""

from __future__ import annotations

from typing import TypedDict

from ..client import Count
from ..command import LIST, Call, Command, Param
from ..fault import AUTH, VALIDATION, Fault
from ..schemas import Schema
from .items import check_projects

MAX_PROJECTS = 50


class ProjectError(TypedDict):
    """Why one project could not be read."""

    project: str
    code: str
    retryable: bool


class Overview(TypedDict):
    """Counts of several projects; one that could not be read does not hide the others."""

    scope: list[str]
    projects_scanned: int
    projects: list[Count]
    count: int
    project_errors: list[ProjectError]


def _overview(call: Call) -> Overview:
    names = call.list("projects")
    if len(names) > MAX_PROJECTS:
        raise Fault(
            VALIDATION,
            f"{len(names)} projects are too many for one call",
            fix=f"Name at most {MAX_PROJECTS}",
        )
    check_projects(*names)
    found: list[Count] = []
    errors: list[ProjectError] = []
    for name in names:
        try:
            found.append(call.app.client.count(name))
        except Fault as failed:
            if failed.code == AUTH:
                # Without a credential nothing can be read at all.
                raise
            errors.append(
                {"project": name, "code": failed.code, "retryable": failed.retryable}
            )
    return {
        "scope": names,
        "projects_scanned": len(found),
        "projects": found,
        "count": len(found),
        "project_errors": errors,
    }


COMMANDS = (
    Command(
        path="project overview",
        summary="Count open and closed items of several projects",
        detail="Projects that could not be read are listed in project_errors.",
        params=(
            Param(
                "projects",
                LIST,
                "Projects, by comma or by repeating the flag",
                required=True,
            ),
        ),
        output="project_overview",
        examples=("project overview --projects atlas,borealis",),
        run=_overview,
    ),
)

SCHEMAS = {"project_overview": Schema(Overview)}
