"""Notes what a package does to files, the network and other programs, and stops nothing."""

import os
import sys
from pathlib import Path

ENTRIES = 200
WRITES = {
    "os.chmod", "os.chown", "os.link", "os.mkdir", "os.mkfifo", "os.mknod", "os.remove",
    "os.rename", "os.rmdir", "os.symlink", "os.truncate", "os.utime", "os.setxattr",
    "shutil.rmtree", "shutil.move",
}  # fmt: skip
READS = {"os.listdir", "os.scandir", "glob.glob"}
PROGRAMS = {
    "subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn",
    "os.startfile", "os.system", "pty.spawn",
}  # fmt: skip
NETWORK = {"socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"}
# Paths that the standard library reads for its own purposes.
SYSTEM = (
    "/etc/hosts", "/etc/localtime", "/etc/mime.types", "/etc/nsswitch.conf", "/etc/pki",
    "/etc/resolv.conf", "/etc/ssl", "/usr/lib/locale", "/usr/share/ca-certificates",
    "/usr/share/zoneinfo",
)  # fmt: skip
LOOKUPS = {
    "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo",
}  # fmt: skip


class Observer:
    """An audit hook with a bounded list of what it saw."""

    def __init__(self):
        self.seen, self.dropped, self.own = {}, 0, ()

    def watch(self, root):
        """Starts to note. Files of the package and of this Python are not noted when read."""
        places = [root, Path(__file__).resolve().parent, os.devnull]
        places += [p for p in (sys.prefix, sys.base_prefix, sys.exec_prefix) if p != "/usr"]
        places += [p for p in sys.path if p and Path(p).is_dir()]
        places += [Path(os.__file__).resolve().parent, *SYSTEM]
        self.own = tuple(sorted({os.path.realpath(p) for p in places}))
        sys.addaudithook(self.hook)

    def take(self):
        """Return the actions since the last call of this method."""
        seen, self.seen = self.seen, {}
        dropped, self.dropped = self.dropped, 0
        listed = [{"kind": kind, "target": target} for kind, target in seen]
        return listed + ([{"kind": "dropped", "target": str(dropped)}] if dropped else [])

    def hook(self, event, arguments):
        try:
            entry = self.entry(event, arguments)
        except Exception:
            entry = (event.partition(".")[0], "unreadable")
        if entry is None or entry in self.seen:
            return
        if len(self.seen) < ENTRIES:
            self.seen[entry] = True
        else:
            self.dropped += 1

    def entry(self, event, arguments):
        """`(kind, target)` of an event; None when it is of no interest."""
        if event == "open":
            return self.opened(*arguments[:3])
        if event in WRITES:
            return "fs.write", text(arguments[0])
        if event in READS:
            return None if self.is_own(arguments[0]) else ("fs.read", text(arguments[0]))
        if event in PROGRAMS:
            return "program", text(arguments[0] if arguments else event)
        if event in NETWORK:
            return "network", address(arguments[-1])
        if event in LOOKUPS:
            return "lookup", text(arguments[0])
        return None

    def opened(self, path, mode, flags):
        if isinstance(path, int):
            return None
        writing = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC
        if flags & writing if isinstance(flags, int) else set(str(mode)) & set("wax+"):
            return None if text(path) == os.devnull else ("fs.write", text(path))
        return None if self.is_own(path) else ("fs.read", text(path))

    def is_own(self, path):
        if path is None or isinstance(path, int):
            return path is not None
        real = os.path.realpath(os.fsdecode(path))
        return any(real == own or real.startswith(own + os.sep) for own in self.own)


def address(value):
    """`host:port`, or the path of a Unix socket."""
    if isinstance(value, tuple) and len(value) >= 2:
        return f"{value[0]}:{value[1]}"
    return "unix:" + text(value)


def text(value):
    """A path, or the first word of an argument vector, as text of a bounded length."""
    if isinstance(value, (list, tuple)):
        value = value[0] if value else ""
    if isinstance(value, (bytes, os.PathLike)):
        value = os.fsdecode(value)
    return str(value).encode("utf-8", "backslashreplace").decode()[:500]
