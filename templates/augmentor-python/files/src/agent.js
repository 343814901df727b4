// Agents: each has an id, a schema and `handle`.

import { check, objectSchema, streamText } from "./contract_gen.js";

/** @type {import("./contract_gen.js").AugmentorAgent} */
export const guide = {
  id: "guide",
  description: "Recommend a command of this package for a question",
  schema: objectSchema(
    {
      message: { type: "string", minLength: 1 },
      history: { type: "array", items: { type: "object" } },
    },
    ["history"],
  ),

  // Answers one message; `history` has the earlier messages.
  async handle(message, ctx, { history = [] }) {
    check(this.schema, { message });
    const words = message.toLowerCase();
    const wanted = ["outline", "heading", "chapter"].some((word) =>
      words.includes(word),
    );
    const command = wanted ? "outline" : "stats";
    const answer = `The command \`${command}\` does that.`;
    streamText(ctx, answer);
    return { message: answer, command, turn: history.length + 1 };
  },
};
