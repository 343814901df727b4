// The package that hosts load: `factory` is the entry in augmentor.toml.

import { guide } from "./agent.js";
import { outline, stats } from "./commands.js";

/** Close the resources of the package; it has none yet. */
function shutdown() {}

/**
 * Return the package; hosts pass an object that describes them.
 * @param {Record<string, unknown>} [_hooks]
 * @returns {import("./contract_gen.js").AugmentorPackage}
 */
export function factory(_hooks) {
  return { commands: [stats, outline], agents: [guide], shutdown };
}
