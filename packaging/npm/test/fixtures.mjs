// Archives as the release makes them, in a directory that goes when the test ends.

import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

export const VERSION = '9.8.7';

export function temporary(t) {
  const place = mkdtempSync(path.join(tmpdir(), 'aos-npm-test-'));
  t.after(() => rmSync(place, { recursive: true, force: true }));
  return place;
}

// A tar of plain files, written by hand so that nothing is shared with its reader.
export function tar(files, { prefix = false } = {}) {
  const blocks = [];
  for (const [name, body] of files) {
    const bytes = Buffer.from(body);
    const header = Buffer.alloc(512);
    const cut = prefix ? name.lastIndexOf('/') : -1;
    header.write(name.slice(cut + 1), 0, 'latin1');
    header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
    header.write('0', 156, 'latin1');
    if (cut >= 0) header.write(name.slice(0, cut), 345, 'latin1');
    blocks.push(header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512));
  }
  blocks.push(Buffer.alloc(1024));
  return gzipSync(Buffer.concat(blocks));
}

export function archive(version, target) {
  const top = `aos-v${version}-${target}`;
  const program = target.includes('windows') ? 'aos.exe' : 'aos';
  return tar([
    [`${top}/README.md`, 'read me'],
    [`${top}/${program}`, `#!/bin/sh\necho 'aos ${version} for ${target}'\n`],
  ]);
}

// A directory of archives with its list of digests.
export function release(t, targets, change = (archives) => archives) {
  const place = temporary(t);
  const archives = new Map(targets.map((target) => [`aos-v${VERSION}-${target}.tar.gz`, archive(VERSION, target)]));
  const list = [...archives].map(([name, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`);
  writeFileSync(path.join(place, 'checksums.txt'), list.join(''));
  for (const [name, bytes] of change(archives)) writeFileSync(path.join(place, name), bytes);
  return place;
}

export function program(file, text) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}
