// The package that hosts load: `factory` is the entry in augmentor.toml.

import { guide } from "./agent.js";
import { outline, stats } from "./commands.js";

/** Close what the package keeps open; nothing so far. */
function shutdown() {}

/**
 * Return the package; hosts pass an object that says who they are.
 * @param {Record<string, unknown>} [_hooks]
 * @returns {import("./contract_gen.js").AugmentorPackage}
 */
export function factory(_hooks) {
  return { commands: [stats, outline], agents: [guide], shutdown };
}
