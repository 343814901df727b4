// Commands: each has a name, a schema and `run`.

import fs from "node:fs/promises";
import path from "node:path";
import {
  AugmentorError,
  check,
  objectSchema,
  streamEvent,
} from "./contract_gen.js";

/** @typedef {import("./contract_gen.js").AugmentorCommand} AugmentorCommand */

// The maximum size of a document.
const LARGEST_FILE = 1024 * 1024;
const HEADING = /^(#{1,6})[ \t]+(.*?)[ \t#]*$/;

/** @type {AugmentorCommand} */
export const stats = {
  name: "stats",
  description: "Count lines, words and characters of a text",
  schema: objectSchema({
    text: { type: "string", minLength: 1, maxLength: 100_000 },
  }),

  // The arguments are checked here too, because not every host does that.
  async run(args) {
    /** @type {string} */
    const text = check(this.schema, args).text;
    return {
      lines: text.split("\n").length,
      words: text.split(/\s+/u).filter(Boolean).length,
      characters: [...text].length,
    };
  },
};

/** @type {AugmentorCommand} */
export const outline = {
  name: "outline",
  description: "List the headings of a Markdown file in the workspace",
  schema: objectSchema(
    {
      path: {
        type: "string",
        minLength: 1,
        description: "Path of the file, relative to the workspace",
      },
      levels: {
        type: "integer",
        minimum: 1,
        maximum: 6,
        default: 6,
        description: "Deepest level of heading to list",
      },
    },
    ["levels"],
  ),

  // Each heading is streamed as it is found; the result has them all.
  async run(args, ctx) {
    const { path: name, levels = 6 } = check(this.schema, args);
    const text = await readFile(ctx.cwd, name);
    const headings = [];
    for (const heading of headingsOf(text)) {
      if (heading.level > levels) continue;
      headings.push(heading);
      streamEvent(ctx, heading);
    }
    return { path: name, headings };
  },
};

/**
 * Find the headings of a Markdown text, outside of fenced code.
 * @param {string} text
 */
function headingsOf(text) {
  const found = [];
  let fenced = false;
  for (const line of text.split("\n")) {
    if (/^(```|~~~)/.test(line)) fenced = !fenced;
    const [, marks = "", title = ""] = HEADING.exec(line.trimEnd()) ?? [];
    if (marks && !fenced) found.push({ level: marks.length, title });
  }
  return found;
}

/**
 * Read a text file that is inside the workspace.
 * @param {string} workspace
 * @param {string} name
 */
async function readFile(workspace, name) {
  const root = await fs.realpath(workspace);
  const asked = path.resolve(root, name);
  const file = await fs.realpath(asked).catch(() => asked);
  if (file !== root && !file.startsWith(root + path.sep)) {
    throw new AugmentorError(
      "outside_workspace",
      `\`${name}\` is not inside the workspace`,
      {
        path: name,
      },
    );
  }
  const found = await fs.stat(file).catch(() => null);
  if (!found?.isFile()) {
    throw new AugmentorError("not_found", `there is no file \`${name}\``, {
      path: name,
    });
  }
  if (found.size > LARGEST_FILE) {
    throw new AugmentorError(
      "too_large",
      `\`${name}\` is larger than ${LARGEST_FILE} bytes`,
      {
        path: name,
      },
    );
  }
  return fs.readFile(file, "utf8");
}
