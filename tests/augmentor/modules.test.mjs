// The generated ABI module in JavaScript. test_modules.py has the same tests for Python.

import assert from "node:assert/strict";
import fs from "node:fs";
import test from "node:test";
import * as abi from "../../src/families/augmentor/module/interface.mjs";

const read = (name) => JSON.parse(fs.readFileSync(new URL(name, import.meta.url), "utf8"));
const contract = read("../../contract/augmentor/v1.1.0/contract.json");

for (const entry of read("check_cases.json")) {
  test(`check: ${JSON.stringify(entry)}`, () => {
    const schema = entry.schema ?? { type: "object", properties: { a: entry.member } };
    const args = entry.schema ? entry.args : { a: entry.value };
    assert.deepEqual(abi.uncheckedKeywords(schema), []);
    if (entry.faults.length === 0) {
      assert.deepEqual(abi.check(schema, args), args);
      return;
    }
    assert.throws(
      () => abi.check(schema, args),
      (error) => {
        assert(error instanceof abi.AugmentorError);
        assert.equal(error.code, "invalid_input");
        assert.deepEqual(
          error.data?.errors.map(({ path }) => path),
          entry.faults,
        );
        return true;
      },
    );
  });
}

test("a keyword that is not checked is named", () => {
  const schema = abi.objectSchema({ a: { type: "array", items: { multipleOf: 2 } } });
  assert.deepEqual(abi.uncheckedKeywords({ ...schema, anyOf: [] }), ["anyOf", "multipleOf"]);
});

test("a schema requires all that is not optional", () => {
  const schema = abi.objectSchema({ a: {}, b: {} }, ["b"]);
  assert.deepEqual(schema.required, ["a"]);
  assert.equal(schema.additionalProperties, false);
});

test("chunks go to the host that wants them", () => {
  const chunks = [];
  const stream = (chunk) => chunks.push(chunk);
  abi.streamText({ stream }, "a");
  abi.streamEvent({ stream }, { b: 1 });
  abi.streamText({}, "nobody wants it");
  assert.deepEqual(chunks, [
    { type: "text", data: "a" },
    { type: "event", data: { b: 1 } },
  ]);
});

test("the tables are those of the contract", () => {
  const codes = Object.entries(contract.error.codes).map(([code, { retryable }]) => [code, retryable]);
  assert.deepEqual(abi.ERROR_CODES, Object.fromEntries(codes));
  assert.equal(abi.SPEC_TAG, contract.tag);
  assert.equal(abi.ABI, contract.abi.default);
  assert.deepEqual(abi.CAPS, contract.caps);
  assert.deepEqual(abi.CAP_MEMBERS, contract.package.cap_members);
  assert.deepEqual(abi.FILESYSTEM_PERMISSIONS, contract.permissions.filesystem);
  assert.deepEqual(abi.NETWORK_PERMISSIONS, contract.permissions.network);
  assert.deepEqual(abi.LIMITS, contract.limits);
  const { command_name, agent_id, tool_name } = contract.patterns;
  assert.deepEqual([abi.COMMAND_NAME, abi.AGENT_ID, abi.TOOL_NAME], [command_name, agent_id, tool_name]);
  assert.equal(abi.TOOL_SEPARATOR, contract.mcp.separator);
});

test("the context has the members of the contract", () => {
  const source = fs.readFileSync(
    new URL("../../src/families/augmentor/module/interface.mjs", import.meta.url),
    "utf8",
  );
  const block = source.slice(0, source.indexOf("AugmentorCommand"));
  const named = [...block.matchAll(/@property \{[^\n]*\} \[?(\w+)\]?$/gm)].map(([, name]) => name);
  assert.deepEqual(named.sort(), Object.keys(contract.context.node).sort());
});
