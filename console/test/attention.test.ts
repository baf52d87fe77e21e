import assert from "node:assert/strict";
import { test } from "node:test";
import type { Attention } from "../src/api/overview_types";
import { language } from "../src/i18n/i18n";
import { placeOf, sentenceOf } from "../src/logic/attention";
import { clock } from "../src/logic/times";

const now = Date.parse("2026-11-18T16:00:00.000Z");
const since = "2026-11-18T15:58:00.000Z";
const at = () => clock(Date.parse(since), now, language.get());
const item = (code: string, more: Partial<Attention> = {}): Attention => ({ code, severity: "warning", ...more });

const cases: [Attention, string, string | undefined][] = [
  [item("route_down", { subject: "smtp-a", since, count: 312, detail: "535 5.7.8 no" }), `Relay smtp-a refuses logins since ${at()}, 312 mails wait.`, "/console/routes"],
  [item("route_down", { subject: "smtp-a", since: null, count: 0, detail: "SMTP_CONNECT" }), "Relay smtp-a does not work.", "/console/routes"],
  [item("route_down", { subject: "hooks.example.org", since, count: 1 }), `Endpoint hooks.example.org does not work since ${at()}, 1 job waits.`, "/console/routes"],
  [item("route_down", { subject: "eu-1", since, count: 2 }), `Relay eu-1 does not work since ${at()}, 2 mails wait.`, "/console/routes"],
  [item("pool_suspended", { subject: "bulk", count: 10001 }), "Pool bulk is paused, 10,000+ jobs wait.", "/console/pools"],
  [item("pool_late", { subject: "mail", since, count: 1 }), `Pool mail is late: 1 job is due, the oldest since ${at()}.`, "/console/pools"],
  [item("dead_letters", { count: 7 }), "7 jobs died within the last 24 hours.", "/console/dead"],
  [item("groups_blocked", { count: 1 }), "1 group is blocked and waits for a person.", "/console/groups"],
  [item("broker_away", { detail: "refused" }), "The broker is away; work waits in the database.", undefined],
  [item("disk_low", { detail: "4" }), "The disk is almost full: 4 percent are free.", undefined],
  [item("something_new", { subject: "x" }), "something_new: x.", undefined],
];

test("each in a sentence, with the way to where it is put right", () => {
  for (const [one, sentence, place] of cases) {
    assert.equal(sentenceOf(one, now, [{ route: "eu-1", channel: "mail" }]), sentence);
    assert.equal(placeOf(one)?.href, place, one.code);
  }
});

test("in German too", () => {
  language.set("de");
  const [first] = cases[0] as (typeof cases)[0];
  assert.equal(sentenceOf(first, now), `Das Relay smtp-a verweigert die Anmeldung seit ${at()}, 312 Mails warten.`);
  language.set("en");
});
