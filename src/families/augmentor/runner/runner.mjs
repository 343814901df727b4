// Runs one Node augmentor as a child process: requests and answers are lines of JSON.
//
// `node runner.mjs [--reply-fd N]`; no dependencies, Node 20 or newer. It reports facts and judges nothing but what it
// must refuse itself. values.mjs, package.mjs and observe.mjs are beside this file. docs/augmentor-runner.md describes the
// messages.

import fs from "node:fs";
import net from "node:net";
import { Readable } from "node:stream";
import { Observer } from "./observe.mjs";
import { Package, Refused } from "./package.mjs";
import { BadChunk, NotJson, failure, plain, refusal, shown, textOf, traceOf, typeOf, visible } from "./values.mjs";

const PROTOCOL = 1;
const MESSAGE_BYTES = 1048576;
const CHUNKS = 10000;
const SHUTDOWN_SECONDS = 5;
const FAULT_EXIT = 70;

// Taken before the package can replace them.
const { writeSync } = fs;
const { parse, stringify } = JSON;
const exit = process.exit.bind(process);

/** The descriptors of the host. */
class Channel {
  limit = MESSAGE_BYTES;

  constructor(replyFd) {
    this.replyFd = replyFd;
    this.stdoutBytes = 0;
    const original = process.stdout.write;
    process.stdout.write = (data, ...rest) => {
      this.stdoutBytes += Buffer.byteLength(data);
      const [stream, write] = replyFd === 1 ? [process.stderr, process.stderr.write] : [process.stdout, original];
      return Reflect.apply(write, stream, [data, ...rest]);
    };
  }

  /** Writes one message at once; false when it is too large, and then nothing is written. */
  send(message) {
    let rest = Buffer.from(stringify(message) + "\n");
    if (rest.length > this.limit) return false;
    while (rest.length) {
      try {
        rest = rest.subarray(writeSync(this.replyFd, rest));
      } catch (error) {
        if (error.code === "EPIPE" || error.code === "ECONNRESET") exit(0);
        if (error.code !== "EAGAIN") throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
      }
    }
    return true;
  }

  /** Calls `each` for every request, `end` after the last one, `fault` for one that cannot be read. */
  listen(each, end, fault) {
    let pending = Buffer.alloc(0);
    const kind = fs.fstatSync(0);
    const input =
      kind.isFIFO() || kind.isSocket()
        ? new net.Socket({ fd: 0, writable: false })
        : fs.createReadStream(null, { fd: 0 });
    // The package gets an empty input: what comes on descriptor 0 is for the runner.
    Object.defineProperty(process, "stdin", { configurable: true, value: Readable.from([]) });
    input.on("data", (data) => {
      pending = Buffer.concat([pending, data]);
      for (let at = pending.indexOf(10); at >= 0; at = pending.indexOf(10)) {
        const line = pending.subarray(0, at);
        pending = pending.subarray(at + 1);
        try {
          each(parse(line.toString("utf8")));
        } catch (error) {
          fault(error);
        }
      }
      if (pending.length > this.limit) fault(new Error(`a request is longer than ${this.limit} bytes`));
    });
    input.on("end", end);
    input.on("error", end);
    this.close = () => input.destroy();
  }
}

class Runner {
  #channel;
  #observer = new Observer();
  #package = null;
  #calls = new Map();

  constructor(channel) {
    this.#channel = channel;
  }

  start() {
    process.on("uncaughtException", (error, origin) => {
      this.#fault(origin === "unhandledRejection" ? "rejection" : "exception", error);
      exit(FAULT_EXIT);
    });
    // Requests are carried out in order; a call is only started here, so that calls overlap.
    let last = Promise.resolve();
    const fault = (error) => {
      this.#fault("request", error);
      exit(FAULT_EXIT);
    };
    this.#channel.listen(
      (request) => {
        last = last.then(() => this.#handle(request)).catch(fault);
      },
      // The host is gone: the package may clean up, then the process ends in any case.
      () => {
        setTimeout(exit, (SHUTDOWN_SECONDS + 1) * 1000, 0);
        last.then(() => this.#shutdown()).finally(() => exit(0));
      },
      fault,
    );
  }

  #answer(id, message) {
    const whole = { id, ...message, observed: this.#observer.take() };
    if (this.#channel.send(whole)) return;
    const text = `the answer is larger than ${this.#channel.limit} bytes`;
    const code = message.event === "loaded" ? "load_failed" : "invalid_result";
    this.#channel.send({
      id,
      event: "error",
      ...refusal(code, text, { reason: "too_large" }),
      observed: [],
    });
  }

  /** Reports what failed outside of every call. */
  #fault(kind, error) {
    this.#channel.send({ event: "fault", kind, ...failure(error) });
  }

  async #handle(request) {
    const { op, id } = request;
    if (op === "load" && !this.#package) return this.#load(request);
    if (op === "shutdown") return this.#stop(id);
    if (op === "cancel") return this.#calls.get(request.target)?.cancel();
    if (op === "describe" && this.#package) {
      return this.#answer(id, { event: "described", facts: this.#package.describe() });
    }
    if ((op === "run" || op === "handle") && this.#package) return void this.#serve(request);
    return this.#answer(id, { event: "error", ...refusal("internal_error", `\`${op}\` is not expected now`) });
  }

  async #load(request) {
    this.#channel.limit = request.limits?.message_bytes ?? MESSAGE_BYTES;
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, request.environment ?? {});
    if (request.observe) this.#observer.watch(fs.realpathSync(request.root));
    let message;
    try {
      this.#package = await Package.load(request);
      message = { event: "loaded", protocol: PROTOCOL, facts: this.#package.describe() };
    } catch (error) {
      const data = { reason: error instanceof Refused ? error.reason : "import_failed" };
      message = { event: "error", ...refusal("load_failed", textOf(error), data) };
      if (error.cause !== undefined) message.trace = traceOf(error.cause);
    }
    this.#answer(request.id, { ...message, stdout_bytes: this.#channel.stdoutBytes });
  }

  async #serve(request) {
    const { id } = request;
    const controller = new AbortController();
    let cancel;
    const cancelled = new Promise((resolve) => {
      cancel = () => {
        controller.abort();
        resolve({ event: "error", ...refusal("cancelled", "the call was cancelled") });
      };
    });
    this.#calls.set(id, { cancel });
    // A promise cannot be stopped: after a cancellation its end is of no interest any more.
    const message = await Promise.race([cancelled, this.#call(request, controller.signal)]);
    this.#calls.delete(id);
    this.#answer(id, message);
  }

  /** Calls a command or an agent; the members of the answer. */
  async #call(request, signal) {
    const [key, nameKey, code] =
      request.op === "run" ? ["commands", "name", "unknown_command"] : ["agents", "id", "unknown_agent"];
    try {
      const item = this.#package.find(key, nameKey, request.name);
      if (item === undefined) {
        const text = `the package has no ${key.slice(0, -1)} \`${request.name}\``;
        return { event: "error", ...refusal(code, text) };
      }
      const context = this.#context(request, signal);
      const history = request.history ?? undefined;
      const result =
        request.op === "run"
          ? await item.run(request.args, context)
          : await item.handle(request.message, context, history ? { history } : {});
      return resultEvent(result);
    } catch (error) {
      return { event: "error", ...failure(error) };
    }
  }

  #context(request, signal) {
    const { run_id: runId, cwd, env, telemetry } = request.ctx;
    const context = { runId, cwd, env: { ...env }, signal };
    if (telemetry !== undefined) context.telemetry = telemetry;
    if (request.history) context.history = request.history;
    if (request.stream) context.stream = this.#stream(request.id);
    return context;
  }

  /** The callback of one call. It writes at once. */
  #stream(id) {
    let count = 0;
    return (given) => {
      if (!this.#calls.has(id)) {
        this.#channel.send({ id, event: "late_chunk" });
        return;
      }
      const chunk = checkedChunk(given);
      if (count >= CHUNKS) throw new BadChunk(`a call has at most ${CHUNKS} chunks`);
      if (!this.#channel.send({ id, event: "chunk", seq: count, chunk })) {
        throw new BadChunk(`a chunk is larger than ${this.#channel.limit} bytes`);
      }
      count += 1;
    };
  }

  async #shutdown() {
    const { place, call } = this.#package?.shutdown() ?? { place: null, call: () => undefined };
    const text = `shutdown took longer than ${SHUTDOWN_SECONDS} s`;
    let timer;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, SHUTDOWN_SECONDS * 1000, { event: "error", ...refusal("timeout", text) });
    });
    const done = (async () => {
      try {
        await call();
        return { event: "stopped", called: place };
      } catch (error) {
        return { event: "error", ...failure(error) };
      }
    })();
    const message = await Promise.race([done, late]);
    clearTimeout(timer);
    return message;
  }

  /** Ends the conversation. The process then ends by itself, unless the package keeps it alive. */
  async #stop(id) {
    this.#answer(id, await this.#shutdown());
    this.#channel.close();
  }
}

function badResult(reason, text) {
  return { event: "error", ...refusal("invalid_result", text, { reason }) };
}

function resultEvent(result) {
  const warnings = [];
  let value;
  try {
    value = plain(result, warnings);
  } catch (error) {
    const fault = error instanceof NotJson ? "is not JSON" : "cannot be read";
    return badResult("not_json", `the result ${fault}: ${textOf(error)}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return badResult("not_object", `the result is ${typeOf(result)}, not an object`);
  }
  return { event: "result", value, warnings: shown(warnings) };
}

function checkedChunk(given) {
  let chunk;
  try {
    chunk = plain(given, []);
  } catch (error) {
    throw new BadChunk(`a chunk is not JSON: ${visible(error.message)}`);
  }
  const keys = typeof chunk === "object" && chunk !== null ? Object.keys(chunk).sort().join() : "";
  if (keys !== "data,type" || (chunk.type !== "text" && chunk.type !== "event")) {
    throw new BadChunk('a chunk is {type: "text" or "event", data: ...}');
  }
  if (chunk.type === "text" && typeof chunk.data !== "string") {
    throw new BadChunk("data of a chunk of type text is a string");
  }
  return chunk;
}

const [flag, number] = process.argv.slice(2);
process.argv.length = 2;
new Runner(new Channel(flag === "--reply-fd" ? Number(number) : 1)).start();
