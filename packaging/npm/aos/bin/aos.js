#!/usr/bin/env node
// Starts the program of this platform and gets out of the way: same input and output, same signals, same exit code.
'use strict';

const { spawn } = require('node:child_process');
const { constants } = require('node:os');
const path = require('node:path');

const SCOPE = '@argentaios/aos-';

// The version of glibc that this process runs on, or nothing on other C libraries.
function glibc() {
  if (process.platform !== 'linux' || !process.report) return undefined;
  // Names of network peers are asked of the network otherwise, which takes its time.
  process.report.excludeNetwork = true;
  const report = process.report.getReport();
  const found = report && report.header && report.header.glibcVersionRuntime;
  return typeof found === 'string' ? found.split('.').map(Number) : undefined;
}

// Packages that can have a program for this machine, best one first.
function candidates(platform, cpu, version) {
  const name = `${platform}-${cpu}`;
  if (platform !== 'linux') return [name];
  const recent = version && (version[0] > 2 || (version[0] === 2 && version[1] >= 28));
  return recent ? [`${name}-gnu`, `${name}-musl`] : [`${name}-musl`];
}

function locate(names) {
  for (const name of names) {
    try {
      const manifest = require.resolve(`${SCOPE}${name}/package.json`);
      return path.join(path.dirname(manifest), 'bin', process.platform === 'win32' ? 'aos.exe' : 'aos');
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return undefined;
}

// Says what is wrong as aos itself would: one document for programs, text for people, exit 4.
function refuse(message, hint) {
  process.stderr.write(`error[E_CONFIG]: ${message}\n  fix: ${hint}\n`);
  process.exitCode = 4;
  if (process.stdout.isTTY) return;
  const error = { code: 'E_CONFIG', message, details: { hint }, retryable: false };
  const envelope = { ok: false, schema_version: '1.0', error, meta: { duration_ms: 0 } };
  process.stdout.write(`${JSON.stringify(envelope)}\n`);
}

function run(program) {
  let child;
  // Before there is a child, so that no signal can end this process and leave the child alone.
  // A terminal sends its signals to both of us; sent again, they would count twice. Others reach only this process.
  const fromTerminal = process.stdin.isTTY || process.stderr.isTTY;
  const handlers = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'].map((signal) => {
    const handler = () => {
      if (signal === 'SIGTERM' || !fromTerminal) child.kill(signal);
    };
    process.on(signal, handler);
    return [signal, handler];
  });

  child = spawn(program, process.argv.slice(2), { stdio: 'inherit', windowsHide: false });
  child.on('error', (error) => {
    refuse(`\`${program}\` cannot be started (${error.code || error.message})`, 'reinstall: npm install -g @argentaios/aos');
  });
  child.on('exit', (code, signal) => {
    for (const [name, handler] of handlers) process.removeListener(name, handler);
    if (!signal) {
      process.exitCode = code;
      return;
    }
    // Whoever waits for us learns the same as we did.
    process.exitCode = 128 + (constants.signals[signal] || 0);
    process.kill(process.pid, signal);
  });
}

function main() {
  const names = candidates(process.platform, process.arch, glibc());
  const program = locate(names);
  if (program) {
    run(program);
    return;
  }
  const wanted = `${SCOPE}${names[0]}`;
  refuse(
    `the program for this platform is missing: ${wanted} is not installed`,
    'install again with optional dependencies (npm install -g @argentaios/aos --include=optional); ' +
      'if there is no such package, see https://github.com/ArgentAIOS/aos/blob/main/docs/installing.md',
  );
}

main();
