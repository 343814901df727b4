// The one judge of results in Node. test_values.py has the same cases for Python.

import assert from "node:assert/strict";
import test from "node:test";
import vm from "node:vm";
import { NotJson, failure, plain, visible } from "../../src/families/augmentor/runner/values.mjs";

const deep = (levels) => (levels ? [deep(levels - 1)] : 1);
const same = (value) => JSON.parse(JSON.stringify(value));

test("JSON stays as it is", () => {
  for (const value of [
    null,
    true,
    0,
    -1.5,
    "é😀",
    [],
    {},
    { a: [1, { b: null }] },
    deep(64),
    1e15,
    vm.runInNewContext("({a: [1]})"),
  ]) {
    const warnings = [];
    assert.deepEqual(same(plain(value, warnings)), same(value));
    assert.deepEqual(warnings, []);
  }
});

test("a member called __proto__ is data", () => {
  const copy = plain(JSON.parse('{"__proto__": {"a": 1}}'), []);
  assert.equal(JSON.stringify(copy), '{"__proto__":{"a":1}}');
});

test("an integer that has lost digits is a warning", () => {
  const warnings = [];
  plain({ a: 2 ** 60 }, warnings);
  assert.match(warnings[0], /^\/a: .*2\^53/);
});

test("anything else is refused with its place", () => {
  const cycle = {};
  cycle.self = cycle;
  const cases = [
    [{ a: NaN }, "/a:"],
    [[Infinity], "/0:"],
    [{ "a/b": { "~": new Uint8Array(1) } }, "/a~1b/~0:"],
    ["\ud800", "/:"],
    [{ "\ud800": 1 }, "surrogate"],
    [new Date(0), "/: Date"],
    [new Map(), "/: Map"],
    [new (class Point {})(), "/: Point"],
    [undefined, "undefined"],
    [{ a: undefined }, "/a: undefined"],
    [[1, , 2], "/1: undefined"], // eslint-disable-line no-sparse-arrays
    [() => 1, "function"],
    [10n, "bigint"],
    [Symbol("a"), "symbol"],
    [deep(65), "64 deep"],
    [cycle, "64 deep"],
  ];
  for (const [value, place] of cases) {
    assert.throws(
      () => plain(value, []),
      (error) => error instanceof NotJson && error.message.includes(place),
      place,
    );
  }
});

const thrown = (members) => Object.assign(new Error(members.message), members);

test("an AugmentorError is known by its members", () => {
  const cases = [
    [{ code: "not_found", message: "no", data: null }, "not_found"],
    [{ code: "not_found", message: "no", data: undefined }, "not_found"],
    [{ code: "not_found", message: "no", data: { a: 1 } }, "not_found"],
    [{ code: "not_found", message: "no" }, "internal_error"],
    [{ code: "not found", message: "no", data: null }, "internal_error"],
    [{ code: 404, message: "no", data: null }, "internal_error"],
    [{ code: "a", message: "no", data: [1] }, "internal_error"],
    [{ code: "ERR_ASSERTION", message: "no", data: null }, "internal_error"],
    [{ code: "ENOENT", message: "no", data: null, errno: -2 }, "internal_error"],
  ];
  for (const [members, code] of cases) {
    assert.equal(failure(thrown(members)).error.code, code, JSON.stringify(members));
  }
});

test("whatever is thrown gives an answer", () => {
  const hostile = new Proxy({}, { get: () => { throw new Error("no"); }, has: () => { throw new Error("no"); } }); // prettier-ignore
  for (const value of [undefined, null, 7, "text", Symbol("a"), Object.create(null), hostile]) {
    assert.equal(failure(value).error.code, "internal_error");
  }
});

test("data that is not JSON is dropped with a warning", () => {
  const found = failure(thrown({ code: "a", message: "no", data: { a: 1n } }));
  assert.deepEqual(found.error, { code: "a", message: "no", data: null });
  assert.match(found.warnings[0], /dropped/);
});

test("long and hostile texts are bounded", () => {
  const found = failure(thrown({ code: "a", message: "x".repeat(10000) + "\ud800", data: null }));
  assert.equal(found.error.message.length, 4096);
  assert.equal(visible("\ud800"), "\ufffd");
});
