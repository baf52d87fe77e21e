import assert from "node:assert/strict";
import { test } from "node:test";
import { EventReader } from "../src/logic/sse";

const whole = "event: overview\ndata: {\"a\":1}\n\n: heartbeat\n\nevent: overview\r\ndata: one\r\ndata: two\r\n\r\ndata:plain\n\n";
const want = [
  { event: "overview", data: '{"a":1}' },
  { event: "overview", data: "one\ntwo" },
  { event: "message", data: "plain" },
];

test("events are read however the pieces are cut", () => {
  for (let size = 1; size <= whole.length; ++size) {
    const reader = new EventReader();
    const got = [];
    for (let at = 0; at < whole.length; at += size) got.push(...reader.push(whole.slice(at, at + size)));
    assert.deepEqual(got, want, `pieces of ${size}`);
  }
});

test("a comment alone is no event, and an unfinished event is kept back", () => {
  const reader = new EventReader();
  assert.deepEqual(reader.push(": ping\n\nevent: overview\ndata: x\n"), []);
  assert.deepEqual(reader.push("\n"), [{ event: "overview", data: "x" }]);
});
