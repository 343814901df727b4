"""Entries of lists in full, with the members that the documentation of each API shows."""

WORDS = "The build fails when the cache is cold, and passes when it is run again. "
URL = "https://api.github.com/repos/octocat/hello-world"


def user():
    """A user inside an answer of GitHub."""
    base = "https://api.github.com/users/octocat"
    names = ("followers", "following", "gists", "starred", "subscriptions", "organizations")
    names += ("repos", "events", "received_events")
    urls = {f"{name}_url": f"{base}/{name}{{/other}}" for name in names}
    rest = {"avatar_url": "https://avatars.githubusercontent.com/u/583231?v=4"}
    rest |= {"html_url": "https://github.com/octocat", "type": "User", "site_admin": False}
    return {"login": "octocat", "id": 583231, "node_id": "MDQ6VXNlcjU4MzIzMQ==", **urls, **rest}


def repository():
    """A repository of GitHub."""
    names = "archive assignees blobs branches collaborators comments commits compare contents "
    names += "contributors deployments downloads events forks git_commits git_refs git_tags "
    names += "hooks issue_comment issue_events issues keys labels languages merges milestones "
    names += "notifications pulls releases stargazers statuses subscribers subscription tags "
    names += "teams trees"
    urls = {f"{name}_url": f"{URL}/{name}{{/sha}}" for name in names.split()}
    counts = ("forks_count", "stargazers_count", "watchers_count", "size", "open_issues_count")
    flags = ("has_issues", "has_projects", "has_downloads", "has_wiki", "has_pages", "disabled")
    grants = {name: True for name in ("admin", "maintain", "push", "triage", "pull")}
    return {
        "id": 1296269,
        "name": "hello-world",
        "full_name": "octocat/hello-world",
        "private": False,
        "owner": user(),
        "html_url": "https://github.com/octocat/hello-world",
        "description": WORDS,
        **urls,
        **dict.fromkeys(counts, 42),
        **dict.fromkeys(flags, True),
        "archived": False,
        "default_branch": "main",
        "pushed_at": "2026-01-26T19:06:43Z",
        "permissions": grants,
        "license": {"key": "mit", "name": "MIT License", "url": f"{URL}/licenses/mit"},
        "topics": ["one", "two"],
    }


def issue():
    """An issue of GitHub."""
    names = ("labels", "comments", "events", "timeline")
    thumbs = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")
    label = {"id": 208045946, "node_id": "MDU6TGFiZWwy", "url": f"{URL}/labels/bug"}
    return {
        "id": 1,
        "number": 1347,
        "title": "Found a bug",
        "state": "open",
        "state_reason": None,
        "html_url": "https://github.com/octocat/hello-world/issues/1347",
        **{f"{name}_url": f"{URL}/issues/1347/{name}" for name in names},
        "repository_url": URL,
        "body": WORDS * 20,
        "user": user(),
        "assignees": [user()],
        "labels": [{**label, "name": "bug", "description": WORDS, "color": "f29513"}],
        "milestone": None,
        "comments": 3,
        "created_at": "2026-04-22T13:33:48Z",
        "updated_at": "2026-04-22T13:33:48Z",
        "reactions": {"url": f"{URL}/issues/1347/reactions", **dict.fromkeys(thumbs, 0)},
    }


def pull_request():
    """A pull request of GitHub: it holds the repository twice."""
    end = {"ref": "topic", "sha": "6dcb09b5b57875f334f61aebed695e2e4193db5e"}
    sides = {side: {**end, "user": user(), "repo": repository()} for side in ("head", "base")}
    return {**issue(), **sides, "draft": False, "merged_at": None, "_links": {"self": URL}}


def run():
    """A workflow run of GitHub."""
    return {
        "id": 30433642,
        "name": "CI",
        "display_title": "Update README.md",
        "status": "completed",
        "conclusion": "success",
        "head_branch": "main",
        "head_sha": "acb5820ced9479c074f688cc328bf03f341a511d",
        "event": "push",
        "html_url": f"{URL}/actions/runs/30433642",
        "created_at": "2026-01-22T19:33:08Z",
        "actor": user(),
        "triggering_actor": user(),
        "head_commit": {"id": "acb5820c", "message": WORDS, "author": {"name": "Octo Cat"}},
        "repository": repository(),
        "head_repository": repository(),
    }


def person(system):
    return {"id": 1, "name": "Ann Lee", "username": "ann", "avatar_url": f"https://{system}/a"}


def merge_request():
    ann = {**person("gitlab.com"), "state": "active", "web_url": "https://gitlab.com/ann"}
    stats = dict.fromkeys(("time_estimate", "total_time_spent", "human_time_estimate"), 0)
    return {
        "id": 1,
        "iid": 7,
        "project_id": 3,
        "title": "Fix the cache",
        "description": WORDS * 20,
        "state": "opened",
        "draft": False,
        "author": ann,
        "assignees": [ann],
        "reviewers": [ann],
        "labels": ["bug"],
        "source_branch": "fix",
        "target_branch": "main",
        "detailed_merge_status": "mergeable",
        "sha": "8888888888888888888888888888888888888888",
        "web_url": "https://gitlab.com/g/p/-/merge_requests/7",
        "updated_at": "2026-05-04T13:26:10.912Z",
        "time_stats": stats,
        "references": {"short": "!7", "relative": "!7", "full": "g/p!7"},
        "task_completion_status": {"count": 0, "completed_count": 0},
    }


def message():
    text = {"type": "text", "text": WORDS * 3}
    section = {"type": "rich_text_section", "elements": [text]}
    block = {"type": "rich_text", "block_id": "gTxn", "elements": [section]}
    return {
        "type": "message",
        "ts": "1512085950.000216",
        "thread_ts": "1512085950.000216",
        "user": "U012AB3CDE",
        "text": WORDS * 3,
        "team": "T012AB3CDE",
        "blocks": [block],
        "reply_count": 3,
        "reply_users": ["U012AB3CDE"] * 3,
        "latest_reply": "1512104434.000490",
        "reactions": [{"name": "eyes", "users": ["U012AB3CDE"], "count": 1}],
    }


def member():
    images = {f"image_{size}": f"https://avatars/{size}.jpg" for size in (24, 48, 192, 512)}
    profile = {"real_name": "Ann Lee", "email": "ann@acme.example", "status_text": "", **images}
    flags = dict.fromkeys(("is_admin", "is_owner", "is_restricted", "is_bot", "deleted"), False)
    base = {"id": "W012A3CDE", "name": "ann", "real_name": "Ann Lee", "tz": "Europe/Berlin"}
    return {**base, **flags, "profile": profile, "updated": 1502138634}


def jira_issue():
    site = "https://acme.atlassian.net"
    icons = {f"{size}x{size}": f"{site}/avatar/{size}" for size in (16, 24, 32, 48)}
    ann = {"accountId": "5b10a2844c20165700ede21g", "displayName": "Ann Lee", "avatarUrls": icons}
    text = {"type": "paragraph", "content": [{"type": "text", "text": WORDS * 20}]}
    status = {"name": "To Do", "statusCategory": {"id": 2, "key": "new", "name": "To Do"}}
    fields = {
        "summary": "The build fails",
        "status": {**status, "self": f"{site}/status/1", "iconUrl": f"{site}/icon"},
        "issuetype": {"self": f"{site}/type/1", "name": "Bug", "description": WORDS},
        "priority": {"self": f"{site}/priority/3", "name": "Medium", "iconUrl": f"{site}/p"},
        "assignee": ann,
        "reporter": ann,
        "description": {"type": "doc", "version": 1, "content": [text]},
        "updated": "2026-05-04T13:26:10.912+0000",
        **{f"customfield_{number}": None for number in range(10_000, 10_040)},
    }
    return {"id": "10002", "key": "ACME-1", "self": f"{site}/issue/10002", "fields": fields}


def notion_page():
    text = {"content": "Tuscan kale", "link": None}
    marks = dict.fromkeys(("bold", "italic", "strikethrough", "underline", "code"), False)
    rich = {"type": "text", "text": text, "annotations": marks, "plain_text": "Tuscan kale"}
    choice = {"id": "a", "name": "Done", "color": "green"}
    properties = {
        "Name": {"id": "title", "type": "title", "title": [rich]},
        "Notes": {"id": "n", "type": "rich_text", "rich_text": [rich] * 3},
        "Status": {"id": "s", "type": "status", "status": choice},
        "Tags": {"id": "t", "type": "multi_select", "multi_select": [choice] * 3},
        "Price": {"id": "p", "type": "number", "number": 2.5},
    }
    ann = {"object": "user", "id": "ee5f0f84-409a-440f-983a-a5315961c6e4"}
    return {
        "object": "page",
        "id": "59833787-2cf9-4fdf-8782-e53db20768a5",
        "created_by": ann,
        "last_edited_by": ann,
        "created_time": "2026-03-01T19:05:00.000Z",
        "last_edited_time": "2026-07-06T19:16:00.000Z",
        "cover": {"type": "external", "external": {"url": "https://notion.example/cover"}},
        "icon": {"type": "emoji", "emoji": "x"},
        "parent": {"type": "data_source_id", "data_source_id": "d9824bdc"},
        "in_trash": False,
        "properties": properties,
        "url": "https://www.notion.so/Tuscan-kale-598337872cf94fdf8782e53db20768a5",
    }


def contact():
    names = ("createdate", "email", "firstname", "hs_object_id", "lastmodifieddate", "lastname")
    times = {"createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-02T00:00:00Z"}
    properties = dict.fromkeys(names, "ann@acme.example")
    return {"id": "512", "properties": properties, **times, "archived": False}


def asana_task():
    return {"gid": "12345", "name": "Buy catnip", "resource_type": "task", "notes": WORDS * 20}


def todoist_task():
    due = {"date": "2026-01-15", "timezone": None, "string": "every day", "is_recurring": True}
    keys = ("user_id", "added_by_uid", "assigned_by_uid", "project_id", "section_id")
    return {
        "id": "6X7rM8997g3RQmvh",
        "content": "Buy milk",
        "description": WORDS * 5,
        "checked": False,
        "priority": 1,
        "due": due,
        "labels": ["home"],
        **dict.fromkeys(keys, "6Jf8VQXxpwv56VQ7"),
        "day_order": -1,
        "is_collapsed": False,
        "updated_at": "2026-01-15T10:00:00.000000Z",
    }


def airtable_record():
    file = {"id": "att1", "url": "https://v5.airtableusercontent.com/" + "x" * 400, "size": 1}
    fields = {"Name": "Union Square", "Notes": WORDS * 3, "Photos": [file, file]}
    return {"id": "rec560UJdUtocSouk", "createdTime": "2026-01-01T00:00:00.000Z", "fields": fields}


ENTRIES = {
    "github": {
        "repo.list": repository,
        "issue.list": issue,
        "pr.list": pull_request,
        "actions.list_runs": run,
    },
    "gitlab": {"mr.list": merge_request},
    "slack": {"channel.history": message, "user.list": member},
    "jira": {"issue.search": jira_issue},
    "notion": {"data_source.query": notion_page},
    "hubspot": {"contact.list": contact},
    "asana": {"task.list": asana_task},
    "todoist": {"task.list": todoist_task},
    "airtable": {"record.list": airtable_record},
}
