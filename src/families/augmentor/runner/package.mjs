// Loads a package and describes it, without calling any of its commands.

import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { NotJson, plain, shown, textOf, typeOf, visible } from "./values.mjs";

// Items of each list that are looked at.
const ITEMS = 1000;
const SUFFIXES = ["", ".js", ".mjs", ".cjs"];

/** The package cannot be loaded; `reason` is one of the fixed words of the protocol. */
export class Refused extends Error {
  constructor(reason, message, cause) {
    super(message);
    this.reason = reason;
    this.cause = cause;
  }
}

/** A member of something whose properties may fail. */
export function quietly(thing, name) {
  try {
    return thing?.[name];
  } catch {
    return undefined;
  }
}

export class Package {
  static async load(request) {
    const self = new Package();
    self.root = fs.realpathSync(request.root);
    const dot = request.entry.lastIndexOf(".");
    if (dot < 1) throw new Refused("entry_form", `the entry \`${request.entry}\` has no dot`);
    self.file = self.#locate(request.entry.slice(0, dot));
    const name = request.entry.slice(dot + 1);
    const factory = await self.#imported(name);
    self.value = Package.#made(factory, request.hooks ?? {});
    return self;
  }

  #locate(relative) {
    for (const suffix of SUFFIXES) {
      const file = path.resolve(this.root, relative + suffix);
      if (!fs.statSync(file, { throwIfNoEntry: false })?.isFile()) continue;
      const real = fs.realpathSync(file);
      if (real.startsWith(this.root + path.sep)) return real;
      throw new Refused("entry_outside", `\`${relative}\` is \`${real}\`, which is not inside the package`);
    }
    const tried = SUFFIXES.map((suffix) => relative + suffix).join(", ");
    throw new Refused("entry_missing", `none of ${tried} is a file of the package; was it built?`);
  }

  async #imported(name) {
    try {
      this.module = await import(pathToFileURL(this.file).href);
    } catch (error) {
      throw new Refused("import_failed", `\`${this.file}\` cannot be imported: ${textOf(error)}`, error);
    }
    const factory = quietly(this.module, name) ?? quietly(quietly(this.module, "default"), name);
    if (typeof factory === "function") return factory;
    throw new Refused("not_callable", `the export \`${name}\` is ${typeOf(factory)}, not a function`);
  }

  static #made(factory, hooks) {
    let value;
    try {
      value = factory(hooks);
    } catch (error) {
      throw new Refused("factory_failed", `the factory failed: ${textOf(error)}`, error);
    }
    if (typeof quietly(value, "then") === "function") {
      Promise.resolve(value).catch(() => {});
      throw new Refused("factory_async", "the factory returned a promise, not a package");
    }
    const known = ["commands", "agents", "tools"].some((key) => (quietly(value, key) ?? null) !== null);
    if (typeof value === "object" && value !== null && known) return value;
    throw new Refused("not_a_package", `the factory returned ${typeOf(value)} without commands, agents or tools`);
  }

  items(key) {
    const value = quietly(this.value, key);
    return Array.isArray(value) ? value.slice(0, ITEMS) : [];
  }

  /** The command or agent of this name. */
  find(key, nameKey, name) {
    return this.items(key).find((item) => quietly(item, nameKey) === name);
  }

  /** Where `shutdown` is, and a function that calls it. */
  shutdown() {
    const places = [
      ["package", this.value],
      ["module", this.module],
      ["module", quietly(this.module, "default")],
    ];
    for (const [place, holder] of places) {
      if (typeof quietly(holder, "shutdown") === "function") return { place, call: () => holder.shutdown() };
    }
    return { place: null, call: () => undefined };
  }

  /** Everything that a host can judge without a call. */
  describe() {
    const facts = {
      runtime: "node",
      runtime_version: process.versions.node,
      file: visible(this.file),
      returned: typeOf(this.value),
      shutdown: this.shutdown().place,
    };
    for (const [key, nameKey, functionKey] of [
      ["commands", "name", "run"],
      ["agents", "id", "handle"],
      ["tools", "name", null],
    ]) {
      const value = quietly(this.value, key);
      facts[`${key}_type`] = Array.isArray(value) ? "list" : (value ?? null) === null ? "absent" : typeOf(value);
      facts[key] = this.items(key).map((item) => factsOf(item, nameKey, functionKey));
    }
    return facts;
  }
}

/** A command, an agent or a tool. What is not JSON is null and has a line in `faults`. */
function factsOf(item, nameKey, functionKey) {
  const faults = [];
  const value = (name) => {
    try {
      return plain(item?.[name] ?? null, []);
    } catch (error) {
      faults.push(`${name}: ${error instanceof NotJson ? error.message : textOf(error)}`);
      return null;
    }
  };
  const facts = {};
  for (const name of [nameKey, "description", functionKey ? "schema" : "inputSchema"]) facts[name] = value(name);
  if (functionKey) {
    const member = quietly(item, functionKey);
    facts.callable = typeof member === "function";
    facts.async = facts.callable && member.constructor?.name === "AsyncFunction";
  }
  // In Node the history is in the third argument, which no function must name.
  if (functionKey === "handle") facts.history = facts.callable;
  facts.faults = shown(faults);
  return facts;
}
