import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSearch, type Screen, type Search } from "../src/logic/search";

const list = (screen: Screen, name: string, value: string): Search => ({ kind: "list", screen, name, value });

const cases: [typed: string, near: Screen, want: Search][] = [
  ["", "messages", { kind: "nothing" }],
  ["  ", "jobs", { kind: "nothing" }],
  ["0pxkq8zt3m001", "jobs", { kind: "id", id: "0PXKQ8ZT3M001", otherwise: list("jobs", "externalId", "0pxkq8zt3m001") }],
  ["0PXKQ8ZT3M00I", "messages", list("messages", "tag", "0PXKQ8ZT3M00I")], // I is not in Crockford's alphabet
  ["ada@example.org", "jobs", list("messages", "recipient", "ada@example.org")],
  ["jürgen@bücher.example", "messages", list("messages", "recipient", "jürgen@bücher.example")],
  ["order=4711", "messages", { kind: "metadata", first: "messages", name: "metadata.order", value: "4711" }],
  ["note=a=b c", "jobs", { kind: "metadata", first: "jobs", name: "metadata.note", value: "a=b c" }],
  ["pool:bulk", "messages", list("messages", "pool", "bulk")],
  ["pool: bulk", "jobs", list("jobs", "dispatchPoolId", "bulk")],
  ["invoice", "messages", list("messages", "tag", "invoice")],
  ["ext-1", "jobs", list("jobs", "externalId", "ext-1")],
  ["corr: abc", "messages", list("jobs", "correlationId", "abc")],
  ["campaign:autumn", "jobs", list("messages", "campaignId", "autumn")],
  ["shop:orders:created", "jobs", list("jobs", "externalId", "shop:orders:created")], // no prefix of ours
];

for (const [typed, near, want] of cases) {
  test(`"${typed}" among ${near}`, () => assert.deepEqual(parseSearch(typed, near), want));
}
