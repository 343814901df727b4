// Makes the npm packages of the platforms from the archives of a release:
//   node <this directory>/platform-packages.js <directory of archives> <directory of packages>
// Each holds one program and nothing that runs when it is installed.
"use strict";

const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const root = require("../../../package.json");

const TOOL = Object.keys(root.bin)[0];
const PLATFORMS = [
  { os: "darwin", cpu: "arm64", archive: "darwin-arm64" },
  { os: "darwin", cpu: "x64", archive: "darwin-amd64" },
  { os: "linux", cpu: "arm64", archive: "linux-arm64" },
  { os: "linux", cpu: "x64", archive: "linux-amd64" },
  { os: "win32", cpu: "arm64", archive: "windows-arm64" },
  { os: "win32", cpu: "x64", archive: "windows-amd64" },
];

/** What the package of a platform says about itself. */
function manifest(platform) {
  return {
    name: `${root.name}-${platform.os}-${platform.cpu}`,
    version: root.version,
    description: `${root.description} (program for ${platform.os} ${platform.cpu})`,
    repository: root.repository,
    ...(root.license ? { license: root.license } : {}),
    os: [platform.os],
    cpu: [platform.cpu],
    files: ["bin/"],
  };
}

function make(platform, archives, packages) {
  const described = manifest(platform);
  const archive = path.resolve(archives, `${TOOL}-${root.version}-${platform.archive}.tar.gz`);
  const program = platform.os === "win32" ? `${TOOL}.exe` : TOOL;
  const directory = path.join(packages, `${platform.os}-${platform.cpu}`);
  const bin = path.join(directory, "bin");
  fs.mkdirSync(bin, { recursive: true });
  // A relative path: some versions of tar take a drive letter for a host.
  execFileSync("tar", ["-xzf", path.relative(bin, archive), program], { cwd: bin });
  fs.chmodSync(path.join(bin, program), 0o755);
  fs.writeFileSync(path.join(directory, "package.json"), `${JSON.stringify(described, null, 2)}\n`);
  return described.name;
}

function main([archives, packages]) {
  if (!archives || !packages) {
    throw new Error("name the directory of the archives and the directory for the packages");
  }
  const names = PLATFORMS.map((platform) => make(platform, archives, packages));
  const listed = Object.keys(root.optionalDependencies);
  if (JSON.stringify([...names].sort()) !== JSON.stringify([...listed].sort())) {
    throw new Error(`optionalDependencies of package.json are not ${names.join(", ")}`);
  }
  process.stdout.write(`${names.join("\n")}\n`);
}

if (require.main === module) main(process.argv.slice(2));

module.exports = { PLATFORMS, manifest };
