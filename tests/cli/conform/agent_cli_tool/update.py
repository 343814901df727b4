"""How the tool brings itself up to date."""

import json
import os
from urllib.parse import urlsplit

from basis import CODES, VERSION, Failure, order
from client import exchange, of_status
from faults import FAULTS
from notice import remember
from release import by_npm, install, npm_prefix, told


def ask_host(path, limit):
    """Ask the release host."""
    base = os.environ.get("LEDGER_RELEASES", "https://localhost:1")
    headers = {}
    if "update-token" in FAULTS:
        headers["Authorization"] = f"Bearer {os.environ.get('GITHUB_TOKEN', '')}"
    try:
        status, received, text = exchange(base, "GET", path, None, headers, limit)
    except TimeoutError as error:
        raise Failure("E_TIMEOUT", "the release host took too long") from error
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
    state = {"stage": "discover", "current_version": VERSION, "binary_replaced": False,
             "skill_sync_status": "not_run"}
    try:
        return update_stages(options, state)
    except KeyboardInterrupt:
        installed = state["current_version"]
        raise Failure("E_INTERRUPTED", f"cancelled; {installed} is installed", **told(state)) from None
    except Failure as failure:
        again = "this was transient, run update again" if CODES[failure.code][1] else "do not try again"
        failure.message = f"{failure.message}; {again}; {state['current_version']} is installed"
        if "update-failure-details" in FAULTS and state["stage"] == "discover":
            state.pop("stage")
        failure.details = {**state, **failure.details}
        raise


def update_stages(options, state):
    """Go through the stages."""
    wanted = options.get("target-version")
    where = f"tags/v{wanted}" if wanted else "latest"
    limit = float(os.environ.get("LEDGER_TIMEOUT", "20"))
    if wanted and order(wanted) < order(VERSION):
        if "update-downgrade" in FAULTS:
            return final(VERSION)
        raise Failure("E_VALIDATION", f"{wanted} is older than {VERSION}")
    try:
        release = json.loads(ask_host(f"/repos/example/ledger/releases/{where}", limit))
        target = release["tag_name"].removeprefix("v")
        order(target)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Failure("E_INTEGRITY", "the release host answers with something else") from error
    is_newer = order(target) > order(VERSION)
    if "check" in options:
        found = {"status": "checked", "current_version": VERSION, "target_version": target,
                 "update_available": is_newer, "install_method": "npm" if npm_prefix() else "standalone",
                 "command": "ledger update"}
        remember(target if is_newer else None)
        if "update-check" in FAULTS:
            found.pop("command")
        return found
    if not is_newer:
        remember(None)
        if "update-current" in FAULTS:
            raise Failure("E_CONFLICT", "nothing to do")
        return final(VERSION)
    if "dry-run" in options:
        found = {**final(target), "current_version": VERSION, "status": "planned", "update_available": True}
        if "update-dry-run" in FAULTS:
            found["confirm_token"] = "ct_none"
        return found
    if prefix := npm_prefix():
        return by_npm(prefix, target, state)
    addresses = {each["name"]: each["browser_download_url"] for each in release["assets"]}

    def fetch(name):
        if name not in addresses:
            raise Failure("E_INTEGRITY", f"the release has no {name}")
        return ask_host(urlsplit(addresses[name]).path, limit)

    state["stage"] = "verify_checksum"
    listed = fetch("checksums.txt")
    state["stage"] = "verify_signature"
    if "update-signature" in FAULTS:
        return final(target)
    return install(target, listed, fetch("checksums.txt.sigstore.json"), fetch, state)


def final(version):
    """Give the answer of an update that is over."""
    return {"status": "current", "previous_version": VERSION, "current_version": version, "target_version": version,
            "update_available": False, "signature_verified": False, "signature_status": "not_checked",
            "skill_sync_status": "not_run"}
