// The values that a package and its host exchange: JSON, errors, text.

const JSON_DEPTH = 64;
const MESSAGE_CHARS = 4096;
const TRACE_CHARS = 16384;
const ERROR_CODE = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

/** A value has no exact form in JSON. */
export class NotJson extends Error {}

/** A chunk is not what the ABI allows; it has the members of an AugmentorError. */
export class BadChunk extends Error {
  code = "invalid_result";
  data = { reason: "chunk" };
}

/** Text that JSON can carry, cut to its limit. */
export function visible(text, limit = MESSAGE_CHARS) {
  return String(text).toWellFormed().slice(0, limit).toWellFormed();
}

/** What a value is, in a word. */
export function typeOf(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value !== "object") return typeof value;
  try {
    const name = value.constructor?.name;
    return typeof name === "string" && name ? visible(name, 100) : "object";
  } catch {
    return "object";
  }
}

/**
 * A copy of `value` that has the plain types of JSON only.
 * Throws NotJson with the place of the first value that JSON cannot carry.
 */
export function plain(value, warnings, path = "", depth = 0) {
  const refuse = (text) => {
    throw new NotJson(`${path.slice(0, 200) || "/"}: ${text}`);
  };
  if (depth > JSON_DEPTH) refuse(`nested more than ${JSON_DEPTH} deep, or a cycle`);
  switch (typeof value) {
    case "boolean":
      return value;
    case "string":
      return value.isWellFormed() ? value : refuse("a lone surrogate is not text");
    case "number":
      if (!Number.isFinite(value)) refuse(`${value} is not a number of JSON`);
      if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
        warnings.push(`${path || "/"}: an integer beyond 2^53 has lost digits`);
      }
      return value;
    case "object":
      break;
    default:
      refuse(`${typeof value} is not a type of JSON`);
  }
  if (value === null) return null;
  if (Array.isArray(value)) {
    return Array.from(value, (item, index) => plain(item, warnings, `${path}/${index}`, depth + 1));
  }
  const prototype = Object.getPrototypeOf(value);
  // A plain object of another realm is one too.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    refuse(`${typeOf(value)} is not a plain object`);
  }
  const copy = Object.create(null);
  for (const key of Object.keys(value)) {
    if (!key.isWellFormed()) refuse("a key with a lone surrogate is not text");
    const place = key.replaceAll("~", "~0").replaceAll("/", "~1");
    copy[key] = plain(value[key], warnings, `${path}/${place}`, depth + 1);
  }
  return copy;
}

/** The message of something thrown, whatever it is. */
export function textOf(error) {
  try {
    return visible(error?.message || error || typeOf(error));
  } catch {
    return typeOf(error);
  }
}

export function traceOf(error) {
  try {
    const stack = String(error?.stack ?? error);
    const cause = error?.cause === undefined ? "" : `\ncaused by: ${error.cause?.stack ?? error.cause}`;
    return visible(stack + cause, TRACE_CHARS);
  } catch {
    return typeOf(error);
  }
}

/** `{code, message, data}` of an AugmentorError, which is known by its members; null for any other error. */
function augmentorError(error) {
  try {
    if (typeof error !== "object" || error === null || !("data" in error) || "errno" in error) return null;
    const { code, message, data = null } = error;
    if (typeof code !== "string" || typeof message !== "string") return null;
    if (!ERROR_CODE.test(code) || code.startsWith("ERR_")) return null;
    return typeof data === "object" && !Array.isArray(data) ? { code, message, data } : null;
  } catch {
    return null;
  }
}

/** Something thrown as members of a message; the trace is apart from the error itself. */
export function failure(error) {
  const known = augmentorError(error);
  if (known) {
    const warnings = [];
    let data = null;
    try {
      data = plain(known.data, warnings);
    } catch (fault) {
      warnings.push(`data of the error is dropped: ${textOf(fault)}`);
    }
    const answer = { code: known.code, message: visible(known.message), data };
    return { origin: "package", error: answer, warnings: shown(warnings) };
  }
  const denied = accessDenied(error);
  if (denied) return { ...refusal("permission_denied", textOf(error), denied), trace: traceOf(error) };
  const answer = { code: "internal_error", message: textOf(error), data: { type: visible(nameOf(error), 200) } };
  return { origin: "exception", error: answer, trace: traceOf(error) };
}

/** What the permission model of Node refused; null for any other error. */
function accessDenied(error) {
  try {
    if (error?.code !== "ERR_ACCESS_DENIED" || typeof error.permission !== "string") return null;
    return { permission: visible(error.permission), resource: visible(error.resource ?? "") };
  } catch {
    return null;
  }
}

function nameOf(error) {
  try {
    return error instanceof Error ? error.name : typeOf(error);
  } catch {
    return "unknown";
  }
}

/** An error that the host reports, not the package. */
export function refusal(code, message, data = null) {
  return { origin: "host", error: { code, message: visible(message), data } };
}

/** At most the first twenty warnings. */
export function shown(warnings) {
  return warnings.slice(0, 20).map((warning) => visible(warning, 400));
}
