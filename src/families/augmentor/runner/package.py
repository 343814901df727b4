"""Loads a package and describes it, without calling any of its commands."""

import importlib
import importlib.util
import inspect
import sys
from pathlib import Path

from _aos_values import NotJson, plain, shown, text_of, visible

# Items of each list that are looked at.
ITEMS = 1000


class Refused(Exception):
    """The package cannot be loaded; `reason` is one of the fixed words of the protocol."""

    def __init__(self, reason, message, cause=None):
        super().__init__(message)
        self.reason, self.message, self.cause = reason, message, cause


def member(thing, name, default=None):
    """A member of an object or of a mapping."""
    return thing.get(name, default) if isinstance(thing, dict) else getattr(thing, name, default)


def below(path, root):
    return path == root or root in path.parents


class Package:
    """A loaded package."""

    def __init__(self, request):
        self.root = Path(request["root"]).resolve()
        for directory in reversed(request["paths"]):
            sys.path.insert(0, str((self.root / directory).resolve()))
        importlib.invalidate_caches()
        module, _, factory = request["entry"].rpartition(".")
        if not module:
            raise Refused("entry_form", f"the entry `{request['entry']}` has no dot")
        self.refuse_foreign(module)
        self.module = self.imported(module)
        function = getattr(self.module, factory, None)
        if not callable(function):
            kind = "missing" if function is None else f"a {type(function).__name__}"
            text = f"`{factory}` of `{module}` is {kind}, not a function"
            raise Refused("not_callable", text)
        self.value = self.made(function, request.get("hooks", {}))

    def refuse_foreign(self, name):
        """Finds a module of the same name, of the standard library say, without running it."""
        top = name.partition(".")[0]
        try:
            spec = importlib.util.find_spec(top)
        except (ImportError, ValueError, AttributeError):
            return
        if spec is None:
            return
        places = [spec.origin] if spec.has_location else spec.submodule_search_locations
        places = [str(place) for place in places or [spec.origin] if place]
        if not any(below(Path(place).resolve(), self.root) for place in places):
            text = f"`{top}` is {places or 'built in'}, which is not inside the package"
            raise Refused("entry_outside", text)

    def imported(self, name):
        try:
            module = importlib.import_module(name)
        except BaseException as error:
            lacks = isinstance(error, ModuleNotFoundError) and error.name
            reason = (
                "entry_missing" if lacks and f"{name}.".startswith(f"{lacks}.") else "import_failed"
            )
            text = f"`{name}` cannot be imported: {text_of(error)}"
            raise Refused(reason, text, error) from None
        self.file = Path(getattr(module, "__file__", None) or "/no file").resolve()
        if not below(self.file, self.root):
            text = f"`{name}` is `{self.file}`, which is not inside the package"
            raise Refused("entry_outside", text)
        return module

    def made(self, factory, hooks):
        try:
            value = factory(**hooks)
        except BaseException as error:
            text = f"the factory failed: {text_of(error)}"
            raise Refused("factory_failed", text, error) from None
        if inspect.isawaitable(value):
            if inspect.iscoroutine(value):
                value.close()
            raise Refused("factory_async", "the factory returned a coroutine, not a package")
        keys = ("commands", "agents", "tools")
        if value is None or not any(quietly(value, key) is not None for key in keys):
            kind = type(value).__name__
            text = f"the factory returned a {kind} without commands, agents or tools"
            raise Refused("not_a_package", text)
        return value

    def items(self, key):
        value = quietly(self.value, key)
        return list(value[:ITEMS]) if isinstance(value, (list, tuple)) else []

    def find(self, key, name_key, name):
        """The command or agent of this name; None when there is none."""
        return next((i for i in self.items(key) if quietly(i, name_key) == name), None)

    def shutdown(self):
        """Where `shutdown` is, and the function."""
        for place, holder in (("package", self.value), ("module", self.module)):
            function = quietly(holder, "shutdown")
            if callable(function):
                return place, function
        return None, None

    def describe(self):
        """Everything that a host can judge without a call."""
        facts = {
            "runtime": "python",
            "runtime_version": "{}.{}.{}".format(*sys.version_info[:3]),
            "file": visible(self.file),
            "returned": visible(type(self.value).__name__),
            "shutdown": self.shutdown()[0],
        }
        for key, name_key, function_key in (
            ("commands", "name", "run"),
            ("agents", "id", "handle"),
            ("tools", "name", None),
        ):
            value = quietly(self.value, key)
            known = "absent" if value is None else type(value).__name__
            facts[f"{key}_type"] = "list" if isinstance(value, (list, tuple)) else known
            facts[key] = [facts_of(item, name_key, function_key) for item in self.items(key)]
        return facts


def quietly(thing, name):
    """A member of something whose properties may fail."""
    try:
        return member(thing, name)
    except Exception:
        return None


def facts_of(item, name_key, function_key):
    """A command, an agent or a tool. What is not JSON is null and has a line in `faults`."""
    faults = []

    def value(name):
        try:
            return plain(member(item, name), [])
        except NotJson as fault:
            faults.append(f"{name}: {fault}")
        except Exception as error:
            faults.append(f"{name}: {text_of(error)}")
        return None

    schema_key = "schema" if function_key else "inputSchema"
    facts = {key: value(key) for key in (name_key, "description", schema_key)}
    if function_key:
        function = quietly(item, function_key)
        facts["callable"] = callable(function)
        facts["async"] = inspect.iscoroutinefunction(function)
    if function_key == "handle":
        facts["history"] = takes_history(function)
    facts["faults"] = shown(faults)
    return facts


def takes_history(function):
    """Whether a function has the keyword `history`; None when that cannot be known."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return any(
        p.kind is p.VAR_KEYWORD or (p.name == "history" and p.kind is not p.POSITIONAL_ONLY)
        for p in parameters
    )
