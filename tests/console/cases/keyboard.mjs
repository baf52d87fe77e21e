// Everything can be reached and done without a mouse.
import assert from 'node:assert/strict';
import {until} from '../api.mjs';
import {withPage} from '../browser.mjs';
import {open, rowIds, sees, state, waitForPath} from '../page.mjs';
import {world} from '../world.mjs';

const here = (use) => withPage({origin: world.server.url}, use);
const focused = (page) => page.evaluate(() => document.activeElement?.innerText || document.activeElement?.getAttribute('aria-label') || document.activeElement?.id);

/** Tab until the focus is on what is called so. */
async function tabTo(page, name, steps = 60) {
  for (let n = 0; n < steps; ++n) {
    await page.keyboard.press('Tab');
    if ((await focused(page)) === name) return;
  }
  assert.fail(`${name} is not reached by Tab`);
}

export const cases = {
  'a mail is found, opened and retried with keys alone, and the focus comes back': () => here(async (page) => {
    const [id] = await world.api.mails([{from: 'shop@example.org', to: ['keys+permanent@example.org'], subject: 'Keys', body: {text: 'x'}}]);
    await until('it failed', async () => (await world.api.get(`/messages/${id}`)).status === 'FAILED');
    await open(page, '');
    await page.keyboard.press('/');
    assert.equal(await focused(page), 'search');
    await page.keyboard.type('keys+permanent@example.org');
    await page.keyboard.press('Enter');
    await until('its row', async () => (await rowIds(page)).includes(id));
    await page.keyboard.press('Escape');  // out of the search box
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await waitForPath(page, new RegExp(id));
    await until('its state', async () => (await state(page)) === 'FAILED');
    await tabTo(page, 'Retry');
    await page.keyboard.press('Enter');
    await sees(page, 'Send it again?');
    await tabTo(page, 'Retry', 6);
    await page.keyboard.press('Enter');
    await sees(page, 'It is queued again.');
    await until('a second attempt', async () => (await world.api.get(`/messages/${id}/attempts`)).data.length === 2);
  }),

  'g and a letter goes to a screen, j and k move, x selects, Enter opens, and the browser goes back': () => here(async (page) => {
    await open(page, '');
    for (const [letter, path] of Object.entries({m: 'messages', j: 'jobs', d: 'dead', p: 'pools', o: ''})) {
      await page.keyboard.press('g');
      await page.keyboard.press(letter);
      await waitForPath(page, new RegExp(`^/console/?${path}$`));
    }
    await open(page, '/messages');
    const ids = await rowIds(page);
    for (const key of ['j', 'j', 'k', 'j', 'x']) await page.keyboard.press(key);
    await sees(page, '1 selected');
    assert.equal(await page.evaluate(() => document.activeElement.closest('[data-row]').dataset.row), ids[1]);
    await page.keyboard.press('Enter');
    await waitForPath(page, new RegExp(ids[1]));
    await page.goBack();
    await waitForPath(page, /messages$/);
  }),

  'keys typed into a field are text, not commands': () => here(async (page) => {
    await open(page, '/messages');
    await page.locator('input[name=tag]').focus();
    await page.keyboard.type('gmjkx?r');
    assert.equal(await page.locator('input[name=tag]').inputValue(), 'gmjkx?r');
    assert.match(page.url(), /messages$/);
  }),

  'a dialog keeps the focus inside, closes by Escape, and gives it back': () => here(async (page) => {
    await open(page, '/pools');
    const button = page.getByRole('button', {name: 'Pause pool slow'});
    await button.focus();
    await page.keyboard.press('Enter');
    await page.locator('dialog[open]').waitFor();
    for (let n = 0; n < 5; ++n) {
      await page.keyboard.press('Tab');
      const where = await page.evaluate(() => Boolean(document.activeElement.closest('dialog')) || document.activeElement === document.body);
      assert.ok(where, 'the focus left the dialog');
    }
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({state: 'detached'});
    assert.ok(await button.evaluate((one) => one === document.activeElement), 'the focus did not come back');
    assert.equal((await world.api.get('/dispatch-pools/slow')).status, 'ACTIVE');
  }),

  'the first Tab is a link past the navigation': () => here(async (page) => {
    await open(page, '/pools');
    await page.keyboard.press('Tab');
    assert.equal(await focused(page), 'Skip to the content');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
  }),
};
