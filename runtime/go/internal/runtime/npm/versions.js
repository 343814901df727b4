// Keeps the version in one place: package.json. Everything else that names it is compared, or set with --write.
//   node internal/runtime/npm/versions.js [--write] [--tag v1.2.3] [--notes FILE]
"use strict";

const fs = require("node:fs");
const path = require("node:path");

const ROOT = path.join(__dirname, "../../..");
const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

function read(name) {
  return fs.readFileSync(path.join(ROOT, name), "utf8");
}

/** The text with the version in it, for each file that names the version. */
function wanted(root) {
  const tool = Object.keys(root.bin)[0];
  const skill = `skills/${tool}/SKILL.md`;
  const pinned = { ...root };
  pinned.optionalDependencies = Object.fromEntries(
    Object.keys(root.optionalDependencies).map((name) => [name, root.version]),
  );
  return {
    "package.json": `${JSON.stringify(pinned, null, 2)}\n`,
    [skill]: read(skill)
      .replace(/^version: .*$/m, `version: "${root.version}"`)
      .replace(/"min_version": "[^"]*"/, `"min_version": "${root.version}"`),
  };
}

/** The section of a version in the changelog, without comments. */
function notes(version, isRelease) {
  const text = read("CHANGELOG.md").replaceAll("\r\n", "\n").replace(/<!--[\s\S]*?-->/g, "");
  const sections = text.split(/^(?=## )/m);
  const heading = `## [${version}]`;
  const section = sections.find((candidate) => candidate.startsWith(heading));
  const released = sections.filter((candidate) => /^## \[\d/.test(candidate));
  if (section === undefined || released[0] !== section) {
    throw new Error(`the newest version in CHANGELOG.md is not ${version}`);
  }
  if (isRelease && !/^## \[[^\]]+\] - \d{4}-\d{2}-\d{2}$/m.test(section.split("\n")[0])) {
    throw new Error(`the heading of ${version} in CHANGELOG.md has no date, as in "## [${version}] - 2030-01-31"`);
  }
  const body = section.slice(section.indexOf("\n")).trim();
  if (body === "") throw new Error(`CHANGELOG.md says nothing about ${version}`);
  return `${body}\n`;
}

function value(options, name) {
  const index = options.indexOf(name);
  if (index >= 0 && options[index + 1] === undefined) throw new Error(`${name} needs a value`);
  return index < 0 ? undefined : options[index + 1];
}

function main(options) {
  const root = JSON.parse(read("package.json"));
  if (!VERSION.test(root.version)) throw new Error("the version in package.json is not a version");
  const tag = value(options, "--tag");
  if (tag !== undefined && tag !== `v${root.version}`) {
    throw new Error(`the tag is ${JSON.stringify(tag)} and package.json says ${root.version}`);
  }
  const text = notes(root.version, tag !== undefined);
  for (const [name, content] of Object.entries(wanted(root))) {
    if (content === read(name)) continue;
    if (!options.includes("--write")) {
      throw new Error(`${name} is not at ${root.version}; run \`node internal/runtime/npm/versions.js --write\``);
    }
    fs.writeFileSync(path.join(ROOT, name), content);
  }
  const file = value(options, "--notes");
  if (file !== undefined) fs.writeFileSync(file, text);
  process.stdout.write(`${root.version}\n`);
}

try {
  main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
}
