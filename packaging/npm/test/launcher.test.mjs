// The launcher: it is as if the program had been started itself, and says so when there is none.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { program, temporary } from './fixtures.mjs';

const WRAPPER = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'aos');
const UNIX = process.platform !== 'win32';
const options = { skip: UNIX ? false : 'the stand-in programs are shell scripts' };

// The names of the packages that this machine can use, best one first.
function names() {
  const base = `${process.platform}-${process.arch}`;
  if (process.platform !== 'linux') return [base];
  const isGlibc = Boolean(process.report.getReport().header.glibcVersionRuntime);
  return isGlibc ? [`${base}-gnu`, `${base}-musl`] : [`${base}-musl`];
}

// A tree as npm makes it: the wrapper, and one platform package with this program.
function installed(t, name, text) {
  const scope = path.join(temporary(t), 'node_modules', '@argentaios');
  mkdirSync(scope, { recursive: true });
  cpSync(WRAPPER, path.join(scope, 'aos'), { recursive: true });
  if (name) {
    const place = path.join(scope, `aos-${name}`);
    program(path.join(place, 'bin', 'aos'), text);
    writeFileSync(path.join(place, 'package.json'), JSON.stringify({ name: `@argentaios/aos-${name}`, version: '1.0.0' }));
  }
  return path.join(scope, 'aos', 'bin', 'aos.js');
}

test('arguments, input, output and exit code pass through unchanged', options, (t) => {
  const script = '#!/bin/sh\nfor word; do printf "[%s]" "$word"; done\ncat\necho "to stderr" >&2\nexit 6\n';
  const launcher = installed(t, names()[0], script);
  const words = ['check', '--format', 'json', 'a b', '', '$(id)', '"', '*'];
  const ran = spawnSync(process.execPath, [launcher, ...words], { input: 'what was typed', encoding: 'utf8' });
  assert.equal(ran.stdout, `${words.map((word) => `[${word}]`).join('')}what was typed`);
  assert.equal(ran.stderr, 'to stderr\n');
  assert.equal(ran.status, 6);
});

test('where both builds for Linux are there, the one for the C library of the system is started', options, (t) => {
  const all = names();
  const launcher = installed(t, all[0], '#!/bin/sh\necho first\n');
  if (all.length > 1) {
    const place = path.join(path.dirname(launcher), '..', '..', `aos-${all[1]}`);
    program(path.join(place, 'bin', 'aos'), '#!/bin/sh\necho second\n');
    writeFileSync(path.join(place, 'package.json'), '{}');
  }
  assert.equal(spawnSync(process.execPath, [launcher], { encoding: 'utf8' }).stdout, 'first\n');
  if (all.length > 1) {
    rmSync(path.join(path.dirname(launcher), '..', '..', `aos-${all[0]}`), { recursive: true });
    assert.equal(spawnSync(process.execPath, [launcher], { encoding: 'utf8' }).stdout, 'second\n');
  }
});

test('a program that a signal ended is reported as ended by that signal', options, (t) => {
  const launcher = installed(t, names()[0], '#!/bin/sh\nkill -TERM $$\nsleep 5\n');
  const ran = spawnSync(process.execPath, [launcher]);
  assert.deepEqual([ran.status, ran.signal], [null, 'SIGTERM']);
});

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
  test(`${signal} reaches the program, whose own answer counts`, options, async (t) => {
    const marks = temporary(t);
    const script = [
      '#!/bin/sh',
      `trap 'echo heard; exit 130' ${signal.slice(3)}`,
      `touch '${marks}/ready'`,
      'count=0',
      'while [ $count -lt 300 ]; do sleep 0.1; count=$((count + 1)); done',
    ].join('\n');
    const launcher = installed(t, names()[0], `${script}\n`);
    const child = spawn(process.execPath, [launcher], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (piece) => { output += piece; });
    const ended = new Promise((resolve) => { child.on('close', (code, how) => resolve([code, how])); });
    while (!existsSync(path.join(marks, 'ready'))) await new Promise((resolve) => { setTimeout(resolve, 20); });
    child.kill(signal);
    assert.deepEqual(await ended, [130, null]);
    assert.equal(output, 'heard\n');
  });
}

test('without the package of this platform the error is a document, names it, and exits 4', options, (t) => {
  const launcher = installed(t);
  const ran = spawnSync(process.execPath, [launcher, 'check'], { encoding: 'utf8' });
  assert.equal(ran.status, 4);
  const envelope = JSON.parse(ran.stdout);
  assert.deepEqual(Object.keys(envelope), ['ok', 'schema_version', 'error', 'meta']);
  assert.deepEqual(Object.keys(envelope.error), ['code', 'message', 'details', 'retryable']);
  assert.equal(envelope.error.code, 'E_CONFIG');
  assert.ok(envelope.error.message.includes(`@argentaios/aos-${names()[0]}`));
  assert.match(envelope.error.details.hint, /--include=optional/);
  assert.match(ran.stderr, /^error\[E_CONFIG\]: /);
});

test('a program that cannot be started is named', options, (t) => {
  const launcher = installed(t, names()[0], '#!/does/not/exist\n');
  const ran = spawnSync(process.execPath, [launcher], { encoding: 'utf8' });
  assert.equal(ran.status, 4);
  assert.match(JSON.parse(ran.stdout).error.message, /cannot be started/);
});

test('the launcher needs no package but those of aos', () => {
  const source = readFileSync(path.join(WRAPPER, 'bin', 'aos.js'), 'utf8');
  const needed = [...source.matchAll(/require\('([^']+)'\)/g)].map((found) => found[1]);
  assert.ok(needed.every((name) => name.startsWith('node:') || name === 'path'), needed.join(', '));
});
