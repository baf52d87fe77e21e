import assert from "node:assert/strict";
import { test } from "node:test";
import { changesOf } from "../src/logic/audit_words";

test("what differs, before and after", () => {
  assert.deepEqual(changesOf({ before: { rate: 600, name: "a" }, after: { rate: 1200, name: null } }), ["rate: 600 → 1200", "name: a → –"]);
  assert.deepEqual(changesOf({ after: { address: "x@y", messageId: null } }), ["address: x@y"]);
  assert.deepEqual(changesOf({ from: "FAILED", to: "QUEUED" }), ["FAILED → QUEUED"]);
  assert.deepEqual(changesOf({ after: {} }), []);
  assert.deepEqual(changesOf({ before: { c: { a: 1, b: null } }, after: { c: { a: 1, b: "x" } } }), ["c.b: – → x"]);
});
