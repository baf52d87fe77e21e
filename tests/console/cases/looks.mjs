// How every screen and dialog looks, light and dark, wide and narrow: axe-core finds nothing serious, nothing is wider than the
// window or cut off, and a picture of each is written to build/console-screens for a person to look at. axe is put into the page by the
// debugger's own door, so the content security policy stays in force.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {SCREENS as FOLDER, withPage} from '../browser.mjs';
import {DIALOGS, SCREENS, still} from '../screens.mjs';
import {world} from '../world.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ALL = [[1360, 'light'], [1360, 'dark'], [390, 'dark'], [390, 'light']];
const SOME = [[1360, 'light'], [390, 'dark']];
const TALLEST = 2600;  // of a picture: long lists go on alike
const HEIGHTS = {1360: 900, 390: 844};

// Everything once wide and once narrow; in the other colours what depends on colours and sizes.
const ALL_RULES = {type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']};
const COLOUR_RULES = {type: 'rule', values: ['color-contrast', 'link-in-text-block', 'target-size', 'scrollable-region-focusable']};

async function findings(page, runOnly) {
  if (!(await page.evaluate(() => Boolean(window.axe)))) await page.evaluate(AXE);
  // The rows of a list are alike: a dozen of them stands for all.
  const {violations} = await page.evaluate((only) => window.axe.run({exclude: ['[data-row]:nth-child(n+13)']}, {runOnly: only, resultTypes: ['violations']}), runOnly);
  return violations.filter(({impact}) => impact === 'serious' || impact === 'critical')
    .map(({impact, id, nodes}) => `${impact} ${id}: ${nodes.slice(0, 3).map((one) => one.target.join(' ')).join(' | ')}`);
}

async function picture(page, name, width) {
  const tall = await page.evaluate(() => document.documentElement.scrollHeight);
  const whole = name.startsWith('dialog') ? {} : {fullPage: true, clip: {x: 0, y: 0, width, height: Math.min(tall, TALLEST)}};
  await page.screenshot({path: join(FOLDER, `${name}.png`), ...whole});
}

const overflow = (page) => page.evaluate(() => {
  const wide = document.documentElement.scrollWidth - window.innerWidth;
  // Tables scroll inside their box where they must; on a wide screen and on cards they need not.
  const cut = [...document.querySelectorAll('.table-box:not([role=region])')].find((one) => one.scrollWidth > one.clientWidth + 1);
  if (cut) return `${cut.scrollWidth - cut.clientWidth} px of a table are cut off`;
  if (wide <= 0) return '';
  const guilty = [...document.querySelectorAll('body *')].find((one) => one.getBoundingClientRect().right > window.innerWidth + 1);
  return `${wide} px by ${guilty?.tagName} ${guilty?.className}`;
});

/** One screen in several looks: it is opened once, then its window and colours change. */
async function lookAt(page, name, language, looks, faults) {
  for (const [width, scheme] of looks) {
    await page.setViewportSize({width, height: HEIGHTS[width]});
    await page.emulateMedia({colorScheme: scheme});
    await still(page);
    const what = `${name}-${language}-${width}-${scheme}`;
    await picture(page, what, width);
    const wide = await overflow(page);
    if (wide) faults.push(`${what} is wider than the window: ${wide}`);
    if (looks !== ALL) continue;
    const rules = (width === 1360) === (scheme === 'light') ? ALL_RULES : COLOUR_RULES;
    for (const text of await findings(page, rules)) faults.push(`${what}: ${text}`);
  }
}

const allOf = (table, language, looks, prefix = '') => () => withPage({origin: world.server.url, locale: language}, async (page) => {
  const faults = [];
  for (const [name, arrive] of Object.entries(table)) {
    await page.setViewportSize({width: 1360, height: HEIGHTS[1360]});
    await arrive(page);
    await lookAt(page, prefix + name, language.slice(0, 2), looks, faults);
  }
  assert.deepEqual(faults, []);
});

export const cases = {
  'every screen has no serious finding of axe and fits its window': allOf(SCREENS, 'en-GB', ALL),
  'every dialog has no serious finding of axe and fits its window': allOf(DIALOGS, 'en-GB', ALL, 'dialog-'),
  'every screen fits its window in German': allOf(SCREENS, 'de-DE', SOME),
  'every dialog fits its window in German': allOf(DIALOGS, 'de-DE', SOME, 'dialog-'),
};
