#!/usr/bin/env node
// Starts the program of the package for this platform and ends as it ends. Nothing is downloaded here.
"use strict";

const { spawn } = require("node:child_process");
const path = require("node:path");

const root = require("../../../package.json");

const TOOL = Object.keys(root.bin)[0];
const PACKAGE = `${root.name}-${process.platform}-${process.arch}`;

/** The exit code of a shell for a child that a signal ended. */
function exitOf(signal) {
  const { signals } = require("node:os").constants;
  return 128 + (signals[signal] ?? 0);
}

function fail(message, fix) {
  const document = {
    ok: false,
    schema_version: "1.0",
    error: { code: "E_CONFIG", message, details: { fix }, retryable: false },
    meta: { duration_ms: 0 },
  };
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  process.exitCode = 4;
}

function find() {
  const name = process.platform === "win32" ? `${TOOL}.exe` : TOOL;
  try {
    const manifest = require.resolve(`${PACKAGE}/package.json`);
    return path.join(path.dirname(manifest), "bin", name);
  } catch {
    return undefined;
  }
}

const program = find();
if (program === undefined) {
  fail(
    `the package ${PACKAGE} is not installed, so there is no program for this platform`,
    `Install ${root.name} again without --omit=optional; if that does not help, this platform is not supported`,
  );
} else {
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  // The terminal sends Ctrl-C to both; what is sent to this process alone is passed on.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on("error", (error) => fail(`the program cannot be started: ${error.message}`, `Install ${root.name} again`));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? exitOf(signal);
  });
}
