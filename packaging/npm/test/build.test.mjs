// The packages of a release: what they hold, for whom they are, and what is refused.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { PLATFORMS, build, checksums, fileIn } from '../build.mjs';
import { VERSION, release, tar, temporary } from './fixtures.mjs';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const TARGETS = Object.keys(PLATFORMS);
const manifest = (place) => JSON.parse(readFileSync(path.join(place, 'package.json'), 'utf8'));

function built(t) {
  const out = path.join(temporary(t), 'packages');
  return build({ assets: release(t, TARGETS), version: VERSION, out });
}

test('there is one package for each target of a release, the wrapper comes last', (t) => {
  const places = built(t);
  assert.equal(places.length, TARGETS.length + 1);
  assert.equal(manifest(places.at(-1)).name, '@argentaios/aos');
});

test('platforms are those of the release scripts', (t) => {
  const script = 'import json, targets; print(json.dumps(targets.TARGETS))';
  const env = { ...process.env, PYTHONPATH: path.join(ROOT, 'scripts', 'release'), PYTHONDONTWRITEBYTECODE: '1' };
  const python = spawnSync('python3', ['-c', script], { env, encoding: 'utf8' });
  if (python.error) {
    t.skip('there is no python3');
    return;
  }
  const ours = Object.entries(PLATFORMS).map(([target, { name, os, cpu, libc }]) => [target, [name, os, cpu, libc ?? null]]);
  assert.deepEqual(Object.fromEntries(ours), JSON.parse(python.stdout));
});

test('a platform package has the program of its archive and is for its platform only', (t) => {
  for (const [at, place] of built(t).slice(0, -1).entries()) {
    const platform = PLATFORMS[TARGETS[at]];
    const found = manifest(place);
    assert.equal(found.name, `@argentaios/aos-${platform.name}`);
    assert.equal(found.version, VERSION);
    assert.deepEqual([found.os, found.cpu, found.libc], [[platform.os], [platform.cpu], platform.libc && [platform.libc]]);
    assert.equal(found.bin, undefined);
    const file = path.join(place, 'bin', platform.os === 'win32' ? 'aos.exe' : 'aos');
    assert.match(readFileSync(file, 'utf8'), new RegExp(`for ${TARGETS[at]}'`));
    assert.equal(statSync(file).mode & 0o777, 0o755);
  }
});

test('the wrapper wants exactly its own version of every platform and runs nothing while it installs', (t) => {
  const found = manifest(built(t).at(-1));
  assert.equal(found.version, VERSION);
  const names = TARGETS.map((target) => `@argentaios/aos-${PLATFORMS[target].name}`).sort();
  assert.deepEqual(Object.keys(found.optionalDependencies), names);
  assert.ok(Object.values(found.optionalDependencies).every((version) => version === VERSION));
  assert.deepEqual([found.scripts, found.dependencies, found.bin], [undefined, undefined, { aos: 'bin/aos.js' }]);
});

test('npm packs the files that are meant and nothing else', (t) => {
  // One of each kind: npm takes its time.
  const kinds = [`${path.sep}aos`, 'win32-x64', 'linux-x64-musl'];
  for (const place of built(t).filter((place) => kinds.some((kind) => place.endsWith(kind)))) {
    const env = { ...process.env, npm_config_update_notifier: 'false' };
    const packed = spawnSync('npm', ['pack', '--json', '--dry-run', '--ignore-scripts'], { cwd: place, env, encoding: 'utf8' });
    if (packed.error) {
      t.skip('there is no npm');
      return;
    }
    assert.equal(packed.status, 0, packed.stderr);
    const answer = JSON.parse(packed.stdout);
    const [{ files }] = Array.isArray(answer) ? answer : Object.values(answer);
    const wrapper = place.endsWith(`${path.sep}aos`);
    const program = wrapper ? 'bin/aos.js' : place.endsWith('win32-x64') ? 'bin/aos.exe' : 'bin/aos';
    const names = files.map((file) => file.path).sort();
    assert.deepEqual(names, ['LICENSE', 'README.md', program, 'package.json']);
    assert.equal(files.find((file) => file.path === program).mode & 0o111, 0o111, `${program} can be started`);
  }
});

test('an archive that is not what the list says is refused', (t) => {
  const change = (archives) => {
    const name = [...archives.keys()].at(-1);
    return new Map([...archives, [name, tar([['x', 'y']])]]);
  };
  const out = path.join(temporary(t), 'packages');
  assert.throws(() => build({ assets: release(t, TARGETS, change), version: VERSION, out }), /is not what checksums.txt says/);
});

test('an archive that is missing, in the list or on the disk, is refused', (t) => {
  const fewer = release(t, TARGETS.slice(1));
  const build1 = () => build({ assets: fewer, version: VERSION, out: path.join(temporary(t), 'packages') });
  assert.throws(build1, /ENOENT/);
  writeFileSync(path.join(fewer, `aos-v${VERSION}-${TARGETS[0]}.tar.gz`), tar([['x', 'y']]));
  assert.throws(build1, /is not what checksums.txt says/);
});

test('values that are no versions and directories that exist are refused', (t) => {
  const assets = release(t, TARGETS);
  for (const version of ['1.2', 'v1.2.3', '1.2.3/..', '01.2.3', '']) {
    assert.throws(() => build({ assets, version, out: path.join(temporary(t), 'packages') }), /is not a version/);
  }
  assert.throws(() => build({ assets, version: VERSION, out: temporary(t) }), /exists/);
});

test('a list with an odd or a doubled line is no list', () => {
  const digest = 'a'.repeat(64);
  assert.equal(checksums(`${digest}  x.tar.gz\n`).get('x.tar.gz'), digest);
  for (const text of [`${digest} x\n`, `${digest}  a/b\n`, `${digest}  x\n${digest}  x\n`, '<html>\n']) {
    assert.throws(() => checksums(text), /cannot be used/);
  }
});

test('a file is found once, under its whole name, or not at all', () => {
  const long = `${'d'.repeat(90)}/${'f'.repeat(90)}`;
  assert.equal(fileIn(tar([[long, 'x']], { prefix: true }), long).toString(), 'x');
  assert.equal(fileIn(tar([['other', ''], ['top/aos', 'y'.repeat(600)]]), 'top/aos').length, 600);
  const refused = [
    tar([['top/other', 'x']]),
    tar([['top/aos', 'x'], ['top/aos', 'y']]),
    tar([['top/aos', '']]),
  ];
  for (const archive of refused) assert.throws(() => fileIn(archive, 'top/aos'), /exactly one/);
  assert.throws(() => fileIn(Buffer.from('not gzip'), 'top/aos'));
});
