#!/usr/bin/env node
// Makes the npm packages of a release from its archives: a wrapper, and one package for each platform.
//
//   node packaging/npm/build.mjs --assets dist --version 0.1.0 --out packages
//
// Every archive is compared with checksums.txt first. Prints the directories in the order of publishing: the
// wrapper last, because it names the others.

import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.join(HERE, '..', '..');
const MAX_UNPACKED = 512 * 1024 * 1024;
const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z]+(\.[0-9A-Za-z]+)*)?$/;

// As in scripts/release/targets.py, which a test compares with this.
export const PLATFORMS = {
  'aarch64-apple-darwin': { name: 'darwin-arm64', os: 'darwin', cpu: 'arm64' },
  'aarch64-unknown-linux-gnu': { name: 'linux-arm64-gnu', os: 'linux', cpu: 'arm64', libc: 'glibc' },
  'aarch64-unknown-linux-musl': { name: 'linux-arm64-musl', os: 'linux', cpu: 'arm64', libc: 'musl' },
  'x86_64-apple-darwin': { name: 'darwin-x64', os: 'darwin', cpu: 'x64' },
  'x86_64-pc-windows-msvc': { name: 'win32-x64', os: 'win32', cpu: 'x64' },
  'x86_64-unknown-linux-gnu': { name: 'linux-x64-gnu', os: 'linux', cpu: 'x64', libc: 'glibc' },
  'x86_64-unknown-linux-musl': { name: 'linux-x64-musl', os: 'linux', cpu: 'x64', libc: 'musl' },
};

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

// Digests by name; a list with one odd line is no list.
export function checksums(text) {
  const digests = new Map();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const found = /^([0-9a-f]{64})  ([0-9A-Za-z._+-]+)$/.exec(line);
    if (!found || digests.has(found[2])) throw new Error(`checksums.txt has a line that cannot be used: ${line.slice(0, 100)}`);
    digests.set(found[2], found[1]);
  }
  return digests;
}

// The bytes of one plain file in a .tar.gz, which must be there exactly once.
export function fileIn(archive, name) {
  const tape = gunzipSync(archive, { maxOutputLength: MAX_UNPACKED });
  const text = (from, length) => tape.toString('latin1', from, from + length).replace(/\0.*$/s, '');
  const found = [];
  for (let at = 0; at + 512 <= tape.length && tape[at] !== 0; ) {
    const size = Number.parseInt(text(at + 124, 12).trim(), 8);
    if (!Number.isSafeInteger(size) || size < 0 || at + 512 + size > tape.length) throw new Error('the archive is damaged');
    const prefix = text(at + 345, 155);
    const whole = prefix ? `${prefix}/${text(at, 100)}` : text(at, 100);
    const isFile = tape[at + 156] === 0x30 || tape[at + 156] === 0;
    if (whole === name && isFile) found.push(tape.subarray(at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  if (found.length !== 1 || found[0].length === 0) throw new Error(`the archive does not have exactly one \`${name}\``);
  return found[0];
}

function manifest(place, value) {
  writeFileSync(path.join(place, 'package.json'), `${JSON.stringify(value, null, 2)}\n`);
}

function platformPackage(wrapper, version, platform, program, out) {
  const place = path.join(out, `aos-${platform.name}`);
  const isWindows = platform.os === 'win32';
  const file = path.join(place, 'bin', isWindows ? 'aos.exe' : 'aos');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, program);
  chmodSync(file, 0o755);
  copyFileSync(path.join(ROOT, 'LICENSE'), path.join(place, 'LICENSE'));
  const readme = `# ${wrapper.name}-${platform.name}\n\nThe program of [${wrapper.name}](${wrapper.homepage}) for ${platform.name}. Install ${wrapper.name} instead.\n`;
  writeFileSync(path.join(place, 'README.md'), readme);
  const { license, homepage, repository, bugs, publishConfig } = wrapper;
  manifest(place, {
    name: `${wrapper.name}-${platform.name}`,
    version,
    description: `The program of ${wrapper.name} for ${platform.name}`,
    license,
    homepage,
    repository,
    bugs,
    files: ['bin/'],
    preferUnplugged: true,
    os: [platform.os],
    cpu: [platform.cpu],
    ...(platform.libc ? { libc: [platform.libc] } : {}),
    publishConfig,
  });
  return place;
}

export function build({ assets, version, out }) {
  if (!VERSION.test(version)) throw new Error(`\`${version}\` is not a version; write MAJOR.MINOR.PATCH`);
  if (existsSync(out)) throw new Error(`\`${out}\` exists; name a directory that does not`);
  const wrapper = JSON.parse(readFileSync(path.join(HERE, 'aos', 'package.json'), 'utf8'));
  const digests = checksums(readFileSync(path.join(assets, 'checksums.txt'), 'utf8'));
  const places = Object.entries(PLATFORMS).map(([target, platform]) => {
    const top = `aos-v${version}-${target}`;
    const archive = readFileSync(path.join(assets, `${top}.tar.gz`));
    if (sha256(archive) !== digests.get(`${top}.tar.gz`)) throw new Error(`${top}.tar.gz is not what checksums.txt says`);
    const program = fileIn(archive, `${top}/${platform.os === 'win32' ? 'aos.exe' : 'aos'}`);
    return platformPackage(wrapper, version, platform, program, out);
  });
  const place = path.join(out, 'aos');
  cpSync(path.join(HERE, 'aos'), place, { recursive: true });
  chmodSync(path.join(place, 'bin', 'aos.js'), 0o755);
  copyFileSync(path.join(ROOT, 'LICENSE'), path.join(place, 'LICENSE'));
  // Exactly this version: the wrapper and its program are one release.
  const optional = Object.values(PLATFORMS).map(({ name }) => [`${wrapper.name}-${name}`, version]);
  manifest(place, { ...wrapper, version, optionalDependencies: Object.fromEntries(optional.sort()) });
  return [...places, place];
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { assets: { type: 'string' }, version: { type: 'string' }, out: { type: 'string' } },
  });
  try {
    for (const name of ['assets', 'version', 'out']) if (!values[name]) throw new Error(`--${name} is missing`);
    for (const place of build(values)) process.stdout.write(`${place}\n`);
  } catch (error) {
    process.stderr.write(`build: ${error.message}\n`);
    process.exitCode = 1;
  }
}
