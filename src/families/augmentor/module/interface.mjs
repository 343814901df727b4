// The ABI of augmentors, as aos generates it from contract.json.
// Do not edit: move the pin with `aos sync-spec`, or run `aos gen`.
/* eslint-disable */

/** @typedef {Record<string, any>} JsonObject */
/** @typedef {Record<string, any>} Schema */
/** @typedef {{ type: "text" | "event", data: any }} Chunk */
/** @typedef {{ role: "system" | "user" | "assistant" | "tool", content: string }} HistoryEntry */

/**
 * What a host passes to every call.
 * @typedef {object} AugmentorContext
 * @property {string} runId
 * @property {string} cwd
 * @property {Record<string, string>} env
 * @property {unknown} [mcpClient]
 * @property {Record<string, unknown>} [telemetry]
 * @property {(chunk: Chunk) => void} [stream]
 * @property {HistoryEntry[]} [history]
 * @property {AbortSignal} [signal]
 */

/**
 * @typedef {object} AugmentorCommand
 * @property {string} name
 * @property {string} [description]
 * @property {Schema} schema
 * @property {(args: JsonObject, ctx: AugmentorContext) => JsonObject | Promise<JsonObject>} run
 */

/**
 * @typedef {object} AugmentorAgent
 * @property {string} id
 * @property {string} [description]
 * @property {Schema} schema
 * @property {(
 *   message: string,
 *   ctx: AugmentorContext,
 *   extras: { history?: HistoryEntry[] },
 * ) => JsonObject | Promise<JsonObject>} handle
 */

/**
 * Replaces description and schema of a command for MCP.
 * @typedef {{ name: string, description?: string, inputSchema: Schema }} AugmentorTool
 */

/**
 * What a factory returns.
 * @typedef {object} AugmentorPackage
 * @property {AugmentorCommand[]} [commands]
 * @property {AugmentorAgent[]} [agents]
 * @property {AugmentorTool[]} [tools]
 * @property {() => void | Promise<void>} [shutdown]
 */

// --- tables ---
/** The contract that this file was generated from. */
// prettier-ignore
export const SPEC_TAG = "v1.1.0";

/** The version of the interface; the value of `abi` in augmentor.toml. */
// prettier-ignore
export const ABI = "1.0";

/** What a package can declare. */
// prettier-ignore
export const CAPS = Object.freeze(["command", "agent", "tool", "stream", "memory"]);

/** The member of the package that a cap needs. */
// prettier-ignore
export const CAP_MEMBERS = Object.freeze({ "command": "commands", "agent": "agents", "tool": "tools" });

/** Values of `filesystem` in augmentor.toml. */
// prettier-ignore
export const FILESYSTEM_PERMISSIONS = Object.freeze(["none", "read", "write", "read-write"]);

/** Values of `network` in augmentor.toml. */
// prettier-ignore
export const NETWORK_PERMISSIONS = Object.freeze(["none", "https", "all"]);

/** Codes of the host, and whether the same call may succeed later. */
// prettier-ignore
export const ERROR_CODES = Object.freeze({
  "load_failed": false,
  "unknown_command": false,
  "unknown_agent": false,
  "invalid_input": false,
  "invalid_result": false,
  "permission_denied": false,
  "timeout": true,
  "cancelled": false,
  "crashed": true,
  "internal_error": false,
});

/** The form of names of commands. */
// prettier-ignore
export const COMMAND_NAME = "^[A-Za-z][A-Za-z0-9_-]{0,63}$";

/** The form of ids of agents. */
// prettier-ignore
export const AGENT_ID = "^[A-Za-z][A-Za-z0-9_-]{0,63}$";

/** The form of names of MCP tools. */
// prettier-ignore
export const TOOL_NAME = "^[A-Za-z0-9_-]{1,64}$";

/** Joins the prefix and the name of a command. */
// prettier-ignore
export const TOOL_SEPARATOR = "_";

/** Limits of a host that sets no others. */
// prettier-ignore
export const LIMITS = Object.freeze({
  "manifest_bytes": 65536,
  "message_bytes": 1048576,
  "schema_bytes": 65536,
  "json_depth": 64,
  "commands": 256,
  "agents": 64,
  "chunks": 10000,
  "error_message_chars": 4096,
  "load_seconds": 10,
  "call_seconds": 60,
  "shutdown_seconds": 5,
});
// --- end of tables ---

/** An error with a code. Every host shows the three members; `data` is JSON. */
export class AugmentorError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {JsonObject | null} [data]
   */
  constructor(code, message, data = null) {
    super(message);
    this.name = "AugmentorError";
    this.code = code;
    this.data = data;
  }
}

/**
 * Passes on partial text, if the host wants it.
 * @param {AugmentorContext} ctx
 * @param {string} text
 */
export function streamText(ctx, text) {
  ctx.stream?.({ type: "text", data: text });
}

/**
 * Passes on an event, if the host wants it. `data` is JSON.
 * @param {AugmentorContext} ctx
 * @param {any} data
 */
export function streamEvent(ctx, data) {
  ctx.stream?.({ type: "event", data });
}

/**
 * The schema of an object with these members and no others; all but `optional` are required.
 * @param {Record<string, Schema>} properties
 * @param {string[]} [optional]
 * @returns {Schema}
 */
export function objectSchema(properties, optional = []) {
  return {
    type: "object",
    properties,
    required: Object.keys(properties).filter(
      (name) => !optional.includes(name),
    ),
    additionalProperties: false,
  };
}

/** Keywords that `check` knows. A host knows all of JSON Schema. */
// prettier-ignore
export const CHECKED_KEYWORDS = Object.freeze([
  "type", "enum", "const", "properties", "required", "additionalProperties", "items", "minItems", "maxItems",
  "minLength", "maxLength", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
]);

/** Keywords that say nothing about validity. */
// prettier-ignore
export const ANNOTATIONS = Object.freeze([
  "$schema", "$id", "$comment", "title", "description", "default", "examples", "format",
]);

/**
 * Returns `args`, or throws AugmentorError("invalid_input") with each fault in `data.errors`.
 * @param {Schema} schema
 * @param {unknown} args
 * @returns {JsonObject}
 */
export function check(schema, args) {
  const errors = [...faults(schema, args, "")].slice(0, 20);
  const [first] = errors;
  if (first) {
    const place = first.path || "the arguments";
    throw new AugmentorError("invalid_input", `${place}: ${first.message}`, {
      errors,
    });
  }
  return { .../** @type {JsonObject} */ (args) };
}

/**
 * Keywords of a schema that `check` would pass over.
 * @param {Schema} schema
 * @returns {string[]}
 */
export function uncheckedKeywords(schema) {
  const known = [...CHECKED_KEYWORDS, ...ANNOTATIONS];
  const found = Object.keys(schema).filter((key) => !known.includes(key));
  for (const part of [
    ...Object.values(schema.properties ?? {}),
    schema.items,
    schema.additionalProperties,
  ]) {
    if (typeof part === "object" && part !== null)
      found.push(...uncheckedKeywords(part));
  }
  return [...new Set(found)].sort();
}

/** @typedef {Generator<{ path: string, message: string }>} Faults */

/**
 * @param {string} kind
 * @param {any} value
 * @returns {boolean}
 */
function is(kind, value) {
  if (kind === "null") return value === null;
  if (kind === "array") return Array.isArray(value);
  if (kind === "integer") return Number.isInteger(value);
  if (kind === "object") {
    return typeof value === "object" && value !== null && !Array.isArray(value);
  }
  return typeof value === kind;
}

/**
 * Equality of JSON.
 * @param {any} left
 * @param {any} right
 * @returns {boolean}
 */
function equal(left, right) {
  if (Array.isArray(left) && Array.isArray(right)) {
    return (
      left.length === right.length &&
      left.every((item, index) => equal(item, right[index]))
    );
  }
  if (is("object", left) && is("object", right)) {
    const keys = Object.keys(left);
    return (
      keys.length === Object.keys(right).length &&
      keys.every(
        (key) => Object.hasOwn(right, key) && equal(left[key], right[key]),
      )
    );
  }
  return left === right;
}

/**
 * @param {Schema} schema
 * @param {any} value
 * @param {string} path
 * @returns {Faults}
 */
function* faults(schema, value, path) {
  const kinds = typeof schema.type === "string" ? [schema.type] : schema.type;
  if (kinds && !kinds.some((/** @type {string} */ kind) => is(kind, value))) {
    yield { path, message: `must be of type ${kinds.join(" or ")}` };
    return;
  }
  if (
    schema.enum &&
    !schema.enum.some((/** @type {unknown} */ one) => equal(value, one))
  ) {
    yield { path, message: `must be one of ${schema.enum.join(", ")}` };
  }
  if (Object.hasOwn(schema, "const") && !equal(value, schema.const)) {
    yield { path, message: `must be ${schema.const}` };
  }
  if (typeof value === "string") {
    yield* size(schema, [...value].length, path, "Length", "characters");
    if (schema.pattern && !new RegExp(schema.pattern, "u").test(value)) {
      yield { path, message: `must match ${schema.pattern}` };
    }
  } else if (typeof value === "number") {
    yield* range(schema, value, path);
  } else if (Array.isArray(value)) {
    yield* size(schema, value.length, path, "Items", "items");
    for (const [index, item] of value.entries()) {
      if (is("object", schema.items))
        yield* faults(schema.items, item, `${path}/${index}`);
    }
  } else if (is("object", value)) {
    yield* members(schema, value, path);
  }
}

/**
 * @param {Schema} schema
 * @param {number} size
 * @param {string} path
 * @param {string} what
 * @param {string} unit
 * @returns {Faults}
 */
function* size(schema, size, path, what, unit) {
  const [least, most] = [schema[`min${what}`], schema[`max${what}`]];
  if (size < least)
    yield { path, message: `must have at least ${least} ${unit}` };
  if (size > most) yield { path, message: `must have at most ${most} ${unit}` };
}

/**
 * @param {Schema} schema
 * @param {number} value
 * @param {string} path
 * @returns {Faults}
 */
function* range(schema, value, path) {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (value < minimum) yield { path, message: `must be at least ${minimum}` };
  if (value > maximum) yield { path, message: `must be at most ${maximum}` };
  if (value <= exclusiveMinimum)
    yield { path, message: `must be more than ${exclusiveMinimum}` };
  if (value >= exclusiveMaximum)
    yield { path, message: `must be less than ${exclusiveMaximum}` };
}

/**
 * @param {Schema} schema
 * @param {JsonObject} value
 * @param {string} path
 * @returns {Faults}
 */
function* members(schema, value, path) {
  const known = schema.properties ?? {};
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) {
      yield { path: `${path}/${pointer(name)}`, message: "is required" };
    }
  }
  for (const [name, item] of Object.entries(value)) {
    const place = `${path}/${pointer(name)}`;
    if (Object.hasOwn(known, name)) {
      yield* faults(known[name], item, place);
    } else if (schema.additionalProperties === false) {
      yield { path: place, message: "is not a known argument" };
    } else if (is("object", schema.additionalProperties)) {
      yield* faults(schema.additionalProperties, item, place);
    }
  }
}

/** @param {string} name */
function pointer(name) {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
