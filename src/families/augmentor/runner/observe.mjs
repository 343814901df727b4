// Notes what a package does to files, the network and other programs, and stops nothing.

import childProcess from "node:child_process";
import dgram from "node:dgram";
import dns from "node:dns";
import fs from "node:fs";
import module from "node:module";
import net from "node:net";
import path from "node:path";
import workers from "node:worker_threads";

const ENTRIES = 200;
// Functions of node:fs by what they do to their first argument. Each exists plain, with `Sync` and as a promise.
const WRITES = [
  "appendFile", "chmod", "chown", "cp", "copyFile", "createWriteStream", "link", "mkdir", "mkdtemp", "rename",
  "rm", "rmdir", "symlink", "truncate", "unlink", "utimes", "writeFile",
]; // prettier-ignore
const READS = ["createReadStream", "opendir", "readFile", "readdir"];
const PROGRAMS = ["execFileSync", "execSync", "spawnSync"];
// Paths that the runtime and its libraries read for their own purposes.
const SYSTEM = [
  "/dev/null", "/etc/hosts", "/etc/localtime", "/etc/mime.types", "/etc/nsswitch.conf", "/etc/pki",
  "/etc/resolv.conf", "/etc/ssl", "/usr/lib/locale", "/usr/share/ca-certificates", "/usr/share/zoneinfo",
]; // prettier-ignore
const LOOKUPS = ["lookup", "resolve", "resolve4", "resolve6", "resolveAny"];

export class Observer {
  #seen = new Map();
  #dropped = 0;
  #own = [];

  /** Starts to note. Files of the package are not noted when read. */
  watch(root) {
    this.#own = [root, path.dirname(process.execPath), ...SYSTEM];
    this.#workers();
    for (const holder of [fs, fs.promises]) this.#files(holder);
    for (const name of PROGRAMS) this.#wrap(childProcess, name, ([file]) => this.#note("program", file));
    this.#wrap(childProcess.ChildProcess.prototype, "spawn", ([options]) => this.#note("program", options?.file));
    this.#wrap(net.Socket.prototype, "connect", (given) => this.#note("network", target(given)));
    this.#wrap(dgram.Socket.prototype, "send", () => this.#note("network", "datagram"));
    for (const holder of [dns, dns.promises]) {
      for (const name of LOOKUPS) this.#wrap(holder, name, ([host]) => this.#note("lookup", host));
    }
    module.syncBuiltinESMExports();
  }

  /** What was seen since the last call of this method. */
  take() {
    const listed = [...this.#seen.values()];
    if (this.#dropped) listed.push({ kind: "dropped", target: String(this.#dropped) });
    this.#seen.clear();
    this.#dropped = 0;
    return listed;
  }

  /** What a worker does is not seen, so that it exists is noted. */
  #workers() {
    const note = (file) => this.#note("worker", file);
    workers.Worker = class Worker extends workers.Worker {
      constructor(file, options) {
        note(options?.eval ? "text" : file);
        super(file, options);
      }
    };
  }

  #files(holder) {
    const each = (names, note) => {
      for (const name of names.flatMap((name) => [name, `${name}Sync`])) this.#wrap(holder, name, note);
    };
    const second = new Set(["copyFile", "cp", "link", "rename", "symlink"]);
    for (const name of WRITES) {
      each([name], (given) => this.#note("fs.write", second.has(name) ? given[1] : given[0]));
    }
    each(READS, ([file]) => this.#read(file));
    each(["open"], ([file, flags = "r"]) => {
      const reads = flags === "r" || flags === "rs" || flags === fs.constants.O_RDONLY;
      return reads ? this.#read(file) : this.#note("fs.write", file);
    });
  }

  #read(file) {
    if (typeof file === "number") return;
    const full = path.resolve(text(file));
    if (!this.#own.some((own) => full === own || full.startsWith(own + path.sep))) this.#note("fs.read", file);
  }

  #wrap(holder, name, note) {
    const original = holder[name];
    if (typeof original !== "function") return;
    holder[name] = function (...given) {
      try {
        note(given);
      } catch {
        // An argument that cannot be read is for the original to refuse.
      }
      return Reflect.apply(original, this, given);
    };
    // Members such as util.promisify.custom belong to the original.
    for (const key of Reflect.ownKeys(original)) {
      const known = Object.getOwnPropertyDescriptor(holder[name], key);
      if (!known) Object.defineProperty(holder[name], key, Object.getOwnPropertyDescriptor(original, key));
    }
  }

  #note(kind, value) {
    const entry = { kind, target: text(value) };
    const key = `${kind} ${entry.target}`;
    if (this.#seen.has(key)) return;
    if (this.#seen.size < ENTRIES) this.#seen.set(key, entry);
    else this.#dropped += 1;
  }
}

/** `host:port` of a call of `connect`, or the path of a Unix socket. */
function target(given) {
  const first = Array.isArray(given[0]) ? given[0][0] : given[0];
  if (typeof first === "object" && first !== null) {
    return first.path ? `unix:${first.path}` : `${first.host ?? "localhost"}:${first.port}`;
  }
  const host = typeof given[1] === "string" ? given[1] : "localhost";
  return Number.isNaN(Number(first)) ? `unix:${first}` : `${host}:${first}`;
}

function text(value) {
  const plain = value instanceof URL ? decodeURIComponent(value.pathname) : value;
  return String(plain).toWellFormed().slice(0, 500).toWellFormed();
}
