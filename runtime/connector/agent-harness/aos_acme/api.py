"""What is particular about this API: where it is and how it wants to be called.

This file is yours. The runtime in `_runtime` makes the requests, reads the replies
and follows the pages; everything that differs between APIs it reads from here.
"""

BASE_URL = ""
# The service key that holds the base URL when every customer has a host.
BASE_URL_KEY = ""
# An environment variable that replaces the base URL: https, or http on loopback.
URL_OVERRIDE = "ACME_API_URL"

# bearer: `Authorization: Bearer <secret>`; basic: user and secret as HTTP Basic;
# header: the secret as it is, in the header named here; query: in the query, under
# this name; none: without any.
SCHEME = "bearer"
HEADER = "Authorization"
USER_KEY = ""
SECRET_KEY = "ACME_API_KEY"
# Other variables that hold a service key: {"NAME": ["OLDER_NAME"]}.
OTHER_NAMES = {}

# Sent with every request.
HEADERS = {
    "Accept": "application/json",
}

# status: the HTTP status decides. ok_field: HTTP 200 with {"ok": false, "error": …}.
ERROR_STYLE = "status"

# A cheap authenticated read; `health` calls it.
HEALTH_METHOD = "GET"
HEALTH_PATH = "/v1/me"
# Asked where the API does not know that path.
HEALTH_ALSO = []

# How lists are cut into pages, unless an operation says otherwise.
#   style      cursor: the reply holds a value for the next request. link: it names
#              the URL of the next page. page, offset: numbers. none: one page only
#   limit      the wire name for the size of a page, at most max_limit
#   position   the wire name for the place of a page, in the query or in the body
#   next       where the reply says what comes next, for example "meta.cursor"
#   more       where it says if there is more: true or false, or how many in all,
#              which is its `total` as well
#   last       where it says that this is the last page
#   empty_ends True when the API ends a list with a next page that is empty or left
#              out of the body; otherwise only null ends it
#   total, cap where it counts the whole list; how many entries it gives at most
PAGING = {
    "style": "page",
    "limit": "per_page",
    "max_limit": 100,
    "position": "page",
    "next": "",
    "more": "",
    "in": "query",
    "empty_ends": False,
    "last": "",
    "total": "",
    "cap": 0,
}

# How failures are told apart: the first rule that fits decides, else the status.
#   is            what it is: a kind of `KINDS` in `_runtime/replies.py`
#   status        the statuses it applies to; without it, every status of a failure
#   header, body  patterns with `*`: {"name": "pattern"}, {"path": ["pattern", …]}.
#                 In a path `*` is any entry; the path "" is the message of the body
#   wait, waits   seconds to wait, and where the reply says how many
#   tell, hint    details to show, by the header or path that holds them; how to fix it
FAILURES = []
# Where a failure has its message, if not in a usual place: dotted paths.
MESSAGES = []
# Where a reply says how long to wait: seconds, a date or a Unix time.
WAITS = ["header:retry-after", "header:x-ratelimit-reset", "header:ratelimit-reset"]
# Seconds to wait after a rate limit that says nothing.
RATE_WAIT = 60

# How a success says that it is only a part: `at` holds the value `equals`, or a
# number above `above`, or anything; `path` is a pattern for the operations.
PARTIAL = []

# What an entry of a list shows without `--fields`: dotted paths, for each command.
SLIM = {"item.list": ["id", "title", "state", "updated_at", "url"]}

# Seconds: the whole of `health`, and the whole of any other command.
HEALTH_SECONDS = 1.8
CALL_SECONDS = 10.0
# Bytes that a reply may have, and that an answer has at most without `--max-bytes`.
REPLY_BYTES = 8_000_000
RESULT_BYTES = 25_000
# Fields whose files are read as bytes.
BINARY = []
# How many values one bulk command may take.
BULK_TARGETS = 100
