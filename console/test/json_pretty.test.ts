import assert from "node:assert/strict";
import { test } from "node:test";
import { prettyJson } from "../src/logic/json_pretty";

test("numbers, escapes and order stay exactly as they were sent", () => {
  const sent = '{"b":12345678901234567890.10,"a":[1e400,-0,2.50],"b":"\\u00e4\\/<b>"}';
  assert.equal(
    prettyJson(sent),
    '{\n  "b": 12345678901234567890.10,\n  "a": [\n    1e400,\n    -0,\n    2.50\n  ],\n  "b": "\\u00e4\\/<b>"\n}',
  );
});

test("what is small stays small", () => {
  assert.equal(prettyJson("{}"), "{}");
  assert.equal(prettyJson(' { "a" : [ ] } '), '{\n  "a": []\n}');
  assert.equal(prettyJson('"text"'), '"text"');
});

test("what is not JSON is left alone", () => {
  for (const text of ["", "hello", "{", '{"a":}', "<html>", "01", '{"a":1}}']) assert.equal(prettyJson(text), null, text);
});
