// The package that hosts load: `factory` is the entry in augmentor.toml.

import { guide } from "./agent.js";
import { outline, stats } from "./commands.js";
import type { AugmentorPackage } from "./contract_gen.js";

/** Close the resources of the package; it has none yet. */
function shutdown(): void {}

/** Return the package; hosts pass an object that describes them. */
export function factory(_hooks?: Record<string, unknown>): AugmentorPackage {
  return { commands: [stats, outline], agents: [guide], shutdown };
}
