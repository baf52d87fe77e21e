import assert from "node:assert/strict";
import { test } from "node:test";
import { de } from "../src/i18n/de";
import { en, type Key } from "../src/i18n/en";
import { translate } from "../src/i18n/i18n";

const placeholders = (text: string) => [...new Set([...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]))].sort();
const keys = Object.keys(en) as Key[];

test("both languages have the same keys", () => {
  assert.deepEqual(Object.keys(de).sort(), [...keys].sort());
});

test("both languages fill in the same placeholders, and choose by number in the same places", () => {
  for (const key of keys) {
    assert.deepEqual(placeholders(de[key]), placeholders(en[key]), key);
    assert.equal(de[key].includes("|"), en[key].includes("|"), key);
    if (en[key].includes("|")) assert.ok(placeholders(en[key]).includes("n"), key);
    assert.notEqual(de[key].trim(), "", key);
  }
});

test("one and many are told apart, also when the count is a text", () => {
  assert.equal(translate("en", "attention.waiting.mails", { n: 1 }), "1 mail waits");
  assert.equal(translate("en", "attention.waiting.mails", { n: "10,000+" }), "10,000+ mails wait");
  assert.equal(translate("de", "attention.waiting.jobs", { n: 0 }), "0 Aufträge warten");
});

// Who speaks to a button says what is written on it (WCAG 2.5.3).
const BUTTONS: [written: Key, spoken: Key][] = [
  ["edit", "pool.edit_one"],
  ["pool.pause", "pool.pause_one"],
  ["pool.resume", "pool.resume_one"],
  ["act.retry", "group.retry_one"],
  ["group.skip", "group.skip_one"],
  ["breaker.reset", "breaker.reset_one"],
  ["remove", "suppression.remove_one"],
  ["edit", "account.edit_one"],
  ["account.on", "account.on_one"],
  ["account.off", "account.off_one"],
  ["account.new_token", "account.token_one"],
  ["account.new_secret", "account.secret_one"],
];

test("the name of a button has what is written on it", () => {
  for (const table of [en, de] as Record<Key, string>[]) {
    for (const [written, spoken] of BUTTONS) {
      assert.ok(table[spoken].toLowerCase().includes(table[written].toLowerCase()), `"${table[spoken]}" lacks "${table[written]}"`);
    }
  }
});
