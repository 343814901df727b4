// Publishes the packages of the platforms, then the package that needs them:
//   node <this directory>/publish.js <directory of packages>
// Packages that are already published are skipped, so that a failed run can be repeated.
"use strict";

const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

function npm(words) {
  return spawnSync("npm", words, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

/** Whether the registry has this version; trouble with the registry is an error, not a no. */
function isPublished({ name, version }) {
  const asked = npm(["view", `${name}@${version}`, "version", "--json"]);
  if (asked.status === 0) return asked.stdout.trim() !== "";
  let code;
  try {
    code = JSON.parse(asked.stdout).error?.code;
  } catch {
    code = undefined;
  }
  if (code === "E404") return false;
  throw new Error(`npm cannot say whether ${name}@${version} is published`);
}

function publish(directory) {
  const described = JSON.parse(fs.readFileSync(path.join(directory, "package.json"), "utf8"));
  if (isPublished(described)) {
    process.stdout.write(`${described.name}@${described.version} is published already\n`);
    return;
  }
  // The dot makes it a directory: without it npm would look for a repository of that name.
  const target = `./${path.relative(".", directory)}`;
  const done = npm(["publish", target, "--access", "public", "--provenance"]);
  if (done.status !== 0) throw new Error(`${described.name} could not be published`);
  process.stdout.write(`${described.name}@${described.version} published\n`);
}

function main([packages]) {
  if (!packages) throw new Error("name the directory of the packages");
  const platforms = fs.readdirSync(packages).sort();
  for (const name of platforms) publish(path.join(packages, name));
  publish(path.join(__dirname, "../../.."));
}

try {
  main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
}
