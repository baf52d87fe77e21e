// What screens show when there is nothing, when an answer is an error, and when it is late; and the language of it all.
import assert from 'node:assert/strict';
import {pause} from '../api.mjs';
import {withPage} from '../browser.mjs';
import {loaded, open, sees} from '../page.mjs';
import {Server} from '../serve.mjs';
import {world} from '../world.mjs';

const EMPTY = {
  '': 'All is well: nothing needs attention.', '/messages': 'No mails yet.', '/jobs': 'No webhook jobs yet.', '/dead': 'No dead letters.',
  '/dead?channel=webhook': 'No dead letters.', '/dead?channel=retrying': 'No mail waits for another attempt.', '/groups': 'No group is blocked.',
  '/suppressions': 'No address is suppressed.', '/accounts': 'No service accounts yet.', '/audit': 'Nothing is on record.',
};
const LISTS = {'/messages': '/messages?', '/jobs': '/dispatch-jobs?', '/pools': '/dispatch-pools', '/groups': '/message-groups',
  '/routes': '/breakers', '/suppressions': '/suppressions', '/accounts': '/service-accounts', '/audit': '/audit'};
const SCREENS = ['', '/messages', '/jobs', '/dead', '/pools', '/groups', '/routes', '/suppressions', '/accounts', '/audit'];
// Words of English that would give a missing translation away; those that German has as well are not among them.
const ENGLISH = /\b(the|and|with|not|nothing|since|status|waiting|failed|queued|refresh|actions?|attempts?|reason|last error|accepted|retry|cancel)\b/i;

const problem = {type: 'urn:eilbote:problem:unavailable', title: 'Cannot do this now', status: 503, detail: 'the database is away',
  instance: '/x', traceId: '0af7651916cd43dd8448eb211c80319c'};

export const cases = {
  'each screen of an empty server says that there is nothing, and why': async () => {
    const server = await new Server().start();
    try {
      await withPage({origin: server.url}, async (page) => {
        for (const [path, text] of Object.entries(EMPTY)) {
          await open(page, path);
          await sees(page, text);
        }
      });
    } finally {
      await server.end();
    }
  },

  'an error of the server is shown in words with its trace id, and trying again helps': () => withPage({origin: world.server.url}, async (page, watch) => {
    for (const [path, api] of Object.entries(LISTS)) {
      const matches = (url) => (url.pathname + url.search).startsWith(api);
      watch.expectStatus(503, new RegExp(api.replace('?', '\\?')));
      await page.route(matches, (route) => (route.request().resourceType() === 'document' ? route.continue() :
        route.fulfill({status: 503, contentType: 'application/problem+json', body: JSON.stringify(problem)})));
      await page.goto(`/console${path}`);
      await sees(page, 'The server cannot do this now');
      await sees(page, 'the database is away');
      await sees(page, problem.traceId);
      await page.unroute(matches);
      await page.locator('main').getByRole('button', {name: 'Try again'}).click();
      await page.locator('.error-box').waitFor({state: 'detached'});
    }
  }),

  'an answer of a proxy that is not JSON is told apart from the server\'s': () => withPage({origin: world.server.url}, async (page, watch) => {
    watch.expectStatus(500, /audit/);
    await page.route((url) => url.pathname === '/audit', (route) => route.fulfill({status: 500, contentType: 'text/html', body: '<h1>Bad gateway</h1>'}));
    await page.goto('/console/audit');
    await sees(page, 'An answer that is not Eilbote\'s (status 500); perhaps a proxy\'s.');
  }),

  'a slow answer shows that it is loading, and one that came too late is dropped': () => withPage({origin: world.server.url}, async (page) => {
    await page.route((url) => url.pathname === '/messages' && url.searchParams.get('status') === 'SENT',
      async (route) => { await pause(1500); await route.continue().catch(() => undefined); });
    await page.goto('/console/messages?status=SENT');
    await page.locator('.skeleton').waitFor();
    await page.locator('select[name=status]').selectOption('FAILED');
    await loaded(page);
    await pause(1800);
    const states = await page.locator('main [data-row] [data-state]').evaluateAll((all) => all.map((one) => one.dataset.state));
    assert.ok(states.length > 0 && states.every((one) => one === 'FAILED'), states.join());
  }),

  'an id that nobody has shows what to make of it': () => withPage({origin: world.server.url}, async (page, watch) => {
    watch.expectStatus(404, /0ZZZZZZZZZZZZ/);
    await open(page, '/messages/0ZZZZZZZZZZZZ');
    await sees(page, 'There is no mail and no webhook job with this id.');
    await open(page, '/jobs/0ZZZZZZZZZZZZ');
    await sees(page, 'There is no webhook job and no mail with this id.');
  }),

  'the page speaks German to a German browser, on every screen': () => withPage({origin: world.server.url, locale: 'de-DE'}, async (page) => {
    for (const path of SCREENS) {
      await open(page, path);
      assert.equal(await page.evaluate(() => document.documentElement.lang), 'de');
      const texts = await page.locator('h1, h2, nav a, button, th[scope=col], label, summary, .intro').allInnerTexts();
      const english = texts.filter((text) => ENGLISH.test(text) && !/^English|status$/i.test(text.trim()));
      assert.deepEqual(english, [], `English on ${path || 'the overview'}`);
    }
  }),

  'language and theme are chosen in the header and kept': () => withPage({origin: world.server.url}, async (page) => {
    await open(page, '/pools');
    await page.getByLabel('Language').selectOption('de');
    await page.getByRole('button', {name: 'Neuer Pool'}).waitFor();
    await page.getByLabel('Darstellung').selectOption('dark');
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--ground').trim());
    const isDark = async () => parseInt((await ground()).slice(1, 3), 16) < 60;
    assert.ok(await isDark(), await ground());
    await page.reload();
    await page.getByRole('button', {name: 'Neuer Pool'}).waitFor();
    assert.ok(await isDark(), await ground());
    assert.equal(Object.keys(await page.evaluate(() => ({...localStorage}))).length, 2);
  }),
};
