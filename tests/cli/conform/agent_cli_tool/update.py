"""How the tool brings itself up to date."""

import os

from basis import CODES, HERE, HOME, VERSION, Failure, directory, in_home, order, write
from client import of_status
from document import loads
from exchange import exchange, parts_of
from faults import FAULTS
from notice import last_known, remember

# `release` brings half of the standard library, so only an update imports it: this tool is started thousands of times.


def ask_host(path, limit):
    """Ask the release host."""
    base = os.environ.get("LEDGER_RELEASES", "https://localhost:1")
    headers = {}
    if "update-token" in FAULTS:
        headers["Authorization"] = f"Bearer {os.environ.get('GITHUB_TOKEN', '')}"
    try:
        is_whole = "update-cut" not in FAULTS
        status, received, text = exchange(base, "GET", path, None, headers, limit, is_whole=is_whole)
        if 300 <= status <= 399 and "update-token-redirect" in FAULTS:
            headers["Authorization"] = f"Bearer {os.environ.get('GITHUB_TOKEN', '')}"
            host, there = parts_of(received["location"])
            status, received, text = exchange(f"http://{host}", "GET", there, None, headers, limit)
    except TimeoutError as error:
        code = "E_NETWORK" if "update-timeout" in FAULTS else "E_TIMEOUT"
        raise Failure(code, "the release host took too long") from error
    except OSError as error:
        raise Failure("E_NETWORK", f"no answer of the release host: {error}") from error
    if status != 200:
        failure = of_status(status, received, text)
        if "update-discover" in FAULTS and status == 404:
            failure.code = "E_NETWORK"
        raise failure
    return text


def update(options):
    """Bring this program up to date."""
    from release import told

    state = {"stage": "discover", "current_version": VERSION, "binary_replaced": False,
             "skill_sync_status": "not_run"}
    fetched = []
    try:
        return update_stages(options, state, fetched)
    except KeyboardInterrupt:
        is_first = state["stage"] == "discover"
        is_lost = "update-interrupt" in FAULTS if is_first else "update-interrupt-download" in FAULTS
        known = {} if is_lost and not fetched else told(state)
        raise Failure("E_INTERRUPTED", f"cancelled; {state['current_version']} is installed", **known) from None
    except Failure as failure:
        again = "this was transient, run update again" if CODES[failure.code][1] else "do not try again"
        if "update-advice" not in FAULTS:
            failure.message = f"{failure.message}; {again}; {state['current_version']} is installed"
        if "check" in options and "update-last-known" not in FAULTS:
            state["last_known"] = last_known()
        if "update-failure-details" in FAULTS and state["stage"] == "discover":
            state.pop("skill_sync_status")
        failure.details = {**state, **failure.details}
        raise


def update_stages(options, state, fetched):
    """Go through the stages; `fetched` gets the names of the files that came."""
    from release import by_npm, install, npm_prefix

    wanted = options.get("target-version")
    where = f"tags/v{wanted}" if wanted else "latest"
    limit = float(os.environ.get("LEDGER_UPDATE_TIMEOUT", "20"))
    method = "npm" if npm_prefix() or "node_modules" in HERE.split(os.sep) else "standalone"
    if wanted and order(wanted) < order(VERSION):
        if "update-downgrade" in FAULTS:
            return final(VERSION)
        raise Failure("E_VALIDATION", f"{wanted} is older than {VERSION}")
    try:
        release = loads(ask_host(f"/repos/example/ledger/releases/{where}", limit))
        target = release["tag_name"].removeprefix("v")
        order(target)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Failure("E_INTEGRITY", "the release host answers with something else") from error
    is_newer = order(target) > order(VERSION)
    if "check" in options:
        found = {"status": "checked", "current_version": VERSION, "target_version": target,
                 "update_available": is_newer, "install_method": method, "command": "ledger update"}
        if "update-check-disk" in FAULTS:
            directory(HOME)
            write(in_home("checked"), "yes")
        remember(target if is_newer else None)
        if "update-check" in FAULTS:
            found.pop("command")
        return found
    if not is_newer:
        if "notice-cleared" not in FAULTS:
            remember(None)
        if "update-no-manager" in FAULTS:
            os.system("npm --version >/dev/null 2>&1")
        if "update-current" in FAULTS:
            raise Failure("E_CONFLICT", "nothing to do")
        return final(VERSION)
    if "dry-run" in options:
        found = {**final(target), "current_version": VERSION, "status": "planned", "update_available": True}
        if "update-npm" in FAULTS and method == "npm":
            raise Failure("E_CONFIG", "npm brings the updates")
        if "update-dry-run-disk" in FAULTS and method != "npm":
            directory(HOME)
            write(in_home("plan"), target)
        if "update-dry-run" in FAULTS and method != "npm":
            found["confirm_token"] = "ct_none"
        return found
    if prefix := npm_prefix():
        return by_npm(prefix, target, state)
    state["stage"] = "download"
    addresses = {each["name"]: parts_of(each["browser_download_url"])[1] for each in release["assets"]}
    if "checksums.txt" not in addresses:
        if "update-no-checksums" in FAULTS:
            return final(target)
        raise Failure("E_INTEGRITY", "the release has no checksums")
    if not any(name.startswith(f"ledger-{target}-") and name.endswith(".tar.gz") for name in addresses):
        code = "E_NETWORK" if "update-no-asset" in FAULTS else "E_NOT_FOUND"
        raise Failure(code, "the release has nothing for this platform")

    def fetch(name):
        if name not in addresses:
            raise Failure("E_INTEGRITY", f"the release has no {name}")
        content = ask_host(addresses[name], limit)
        fetched.append(name)
        return content

    listed = fetch("checksums.txt")
    state["stage"] = "verify_signature"
    bundle = "checksums.txt.sigstore.json"
    if bundle not in addresses and "update-no-bundle" in FAULTS:
        return final(target)
    try:
        signed = fetch(bundle)
    except Failure as failure:
        if "update-bundle-fetch" in FAULTS and failure.code == "E_SERVER":
            failure.code = "E_INTEGRITY"
        raise
    if "update-signature" in FAULTS and b'"AAAA"' in signed:
        return final(target)
    return install(target, listed, signed, fetch, state)


def final(version):
    """Give the answer of an update that is over."""
    return {"status": "current", "previous_version": VERSION, "current_version": version, "target_version": version,
            "update_available": False, "signature_verified": False, "signature_status": "not_checked",
            "skill_sync_status": "not_run"}
