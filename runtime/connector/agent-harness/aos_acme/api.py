"""The settings of this API: its address and the form of its requests and replies.

You own this file. The runtime in `_runtime` makes the requests, reads the replies
and follows the pages, according to these settings.
"""

BASE_URL = ""
# The service key with the base URL, if each customer has another host.
BASE_URL_KEY = ""
# An environment variable that replaces the base URL: https, or http on loopback.
URL_OVERRIDE = "ACME_API_URL"

# bearer: `Authorization: Bearer <secret>`; basic: user and secret as HTTP Basic;
# header: only the secret, in the header HEADER; query: the secret in the query, under
# the name HEADER; none: no credentials.
SCHEME = "bearer"
HEADER = "Authorization"
USER_KEY = ""
SECRET_KEY = "ACME_API_KEY"
# Other variables that can contain a service key: {"NAME": ["OLDER_NAME"]}.
OTHER_NAMES = {}

# Headers of every request.
HEADERS = {
    "Accept": "application/json",
}

# status: the HTTP status decides. ok_field: HTTP 200 with {"ok": false, "error": …}.
ERROR_STYLE = "status"

# The request of `health`: a cheap read that needs the credentials.
HEALTH_METHOD = "GET"
HEALTH_PATH = "/v1/me"
# Other paths to try if the API does not have that path.
HEALTH_ALSO = []

# How lists are divided into pages, unless an operation has its own paging.
#   style      cursor: the reply has a value for the next request. link: it has the
#              URL of the next page. page, offset: numbers. none: only one page
#   limit      the parameter for the size of a page, which is at most max_limit
#   position   the parameter for the position of a page, in the query or in the body
#   next       the path of the next page in the reply, for example "meta.cursor"
#   more       the path that says whether there is more: true or false, or the number
#              of all entries, which is then also the `total`
#   last       the path that says that this is the last page
#   empty_ends True if the API ends a list with a next page that is empty or missing
#              in the body; otherwise only null ends the list
#   total, cap the path of the number of all entries; the maximum number of entries
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

# How errors are classified: by the first rule that matches, otherwise by the status.
#   is            the kind of the error, one of `KINDS` in `_runtime/replies.py`
#   status        the statuses of the rule; without it, every status of an error
#   header, body  patterns with `*`: {"name": "pattern"}, {"path": ["pattern", …]}.
#                 In a path, `*` is any entry; the path "" is the message of the body
#   wait, waits   the seconds to wait, and the paths of that number in the reply
#   tell, hint    details to show, by their header or path; how to fix the error
FAILURES = []
# Dotted paths of the message of an error, if it is not in a usual member.
MESSAGES = []
# Where a reply has the time to wait: seconds, a date or a Unix time.
WAITS = ["header:retry-after", "header:x-ratelimit-reset", "header:ratelimit-reset"]
# Seconds to wait after a rate limit without a time to wait.
RATE_WAIT = 60

# How a successful reply shows that it is incomplete: `at` has the value `equals`, a
# number above `above`, or any value; `path` is a pattern for the operations.
PARTIAL = []

# The fields of a list entry without `--fields`: dotted paths, for each command.
SLIM = {"item.list": ["id", "title", "state", "updated_at", "url"]}

# Time limits in seconds, for `health` and for any other command.
HEALTH_SECONDS = 1.8
CALL_SECONDS = 10.0
# The maximum size of a reply, and of the output without `--max-bytes`, in bytes.
REPLY_BYTES = 8_000_000
RESULT_BYTES = 25_000
# Fields whose value is a file that is read as bytes.
BINARY = []
# The maximum number of values of one bulk command.
BULK_TARGETS = 100
