// The tests of the console, in one process and one after the other, so that one browser and one filled server serve them all:
//   EILBOTE_BINARY=build/release/eilbote node suite.mjs [PATTERN]
// A case file exports `cases`, sentences with functions. PATTERN chooses by "file: sentence". Exit code 1 when one fails.
import {readdirSync} from 'node:fs';
import {test} from 'node:test';
import {endWorld, startWorld} from './world.mjs';

const CASE_WITHIN_MILLIS = 300_000;  // busy machines included
const pattern = new RegExp(process.argv[2] ?? '', 'i');
// Those that compare and look come before those that change things.
const order = ['screens', 'finding', 'looks', 'live'];
const names = readdirSync(new URL('cases', import.meta.url)).map((file) => file.replace(/\.mjs$/, ''));
const place = (name) => (order.includes(name) ? order.indexOf(name) : order.length);
names.sort((a, b) => place(a) - place(b) || a.localeCompare(b));

if (!process.env.EILBOTE_BINARY) throw new Error('EILBOTE_BINARY names no program');
const chosen = [];
for (const name of names) {
  const {cases} = await import(`./cases/${name}.mjs`);
  const some = Object.entries(cases).filter(([sentence]) => pattern.test(`${name}: ${sentence}`));
  if (some.length) chosen.push([name, some]);
}
if (!chosen.length) throw new Error(`no case matches ${pattern}`);

await test('the console', async (whole) => {
  try {
    await startWorld((line) => whole.diagnostic(line));
    for (const [name, some] of chosen) {
      await whole.test(name, async (group) => {
        for (const [sentence, run] of some) await group.test(sentence, {timeout: CASE_WITHIN_MILLIS}, run);
      });
    }
  } finally {
    await endWorld();
  }
});
