import assert from "node:assert/strict";
import { test } from "node:test";
import { clock, exact, local, relative, span, utc } from "../src/logic/times";

const now = Date.parse("2026-11-18T16:00:00.000Z");
const ago = (seconds: number) => now - seconds * 1000;

test("how long ago", () => {
  assert.equal(relative(ago(2), now, "en"), "now");
  assert.equal(relative(ago(59), now, "en"), "59 sec. ago");
  assert.equal(relative(ago(190), now, "en"), "3 min. ago");
  assert.equal(relative(ago(3 * 3600), now, "en"), "3 hr. ago");
  assert.equal(relative(ago(3 * 86400), now, "en"), "3 days ago");
  assert.equal(relative(ago(-90), now, "en"), "in 1 min.");
  assert.equal(relative(ago(190), now, "de"), "vor 3 Min.");
});

test("by the reader's clock, with the day when it is another one", () => {
  assert.equal(local(ago(60), now, "de", "Europe/Berlin"), "16:59:00");
  assert.match(local(ago(86400), now, "de", "Europe/Berlin"), /^17\.11\.2026, 17:00:00$/);
  assert.equal(local(ago(86400), now, "en", "Europe/Berlin"), "2026-11-17, 17:00:00");
  assert.equal(clock(ago(3600 * 10), now, "en", "Europe/Berlin"), "07:00");
  // 23:30 UTC is the next day in Berlin: the day is the reader's, not UTC's.
  assert.match(clock(Date.parse("2026-11-17T23:30:00Z"), now, "en", "Europe/Berlin"), /^00:30$/);
});

test("UTC is at hand, to the millisecond", () => {
  assert.equal(utc(Date.parse("2026-11-18T15:48:54.357Z")), "2026-11-18 15:48:54.357 UTC");
  assert.match(exact(now, "en", "Europe/Berlin"), /17:00:00.* · 2026-11-18 16:00:00\.000 UTC$/);
});

test("ages", () => {
  assert.equal(span(12 * 60000, "en"), "12 min");
  assert.equal(span(-5, "en"), "0 sec");
});
