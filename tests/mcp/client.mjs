// The official TypeScript client against a server: what it saw, as JSON on stdout.
// usage: client.mjs MARK SERVER…; the tool `go` waits for the file MARK, so its progress is seen before its result.

import { writeFileSync } from "node:fs";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [mark, command, ...args] = process.argv.slice(2);
const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));

const seen = { progress: [] };
const call = (name, input, options) => client.callTool({ name, arguments: input }, undefined, options);
const { tools } = await client.listTools();
seen.tools = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
seen.result = await call("count", { text: "abc" });
const onprogress = ({ message }) => {
  seen.progress.push(message);
  writeFileSync(mark, "");
};
seen.slow = await call("go", { mark }, { onprogress });
seen.error = await call("refuse", { text: "x" });
seen.invalid = await call("echo", { text: 1 });
try {
  await call("none", {});
} catch (error) {
  seen.unknown = error.message;
}
await client.close();
console.log(JSON.stringify(seen));
