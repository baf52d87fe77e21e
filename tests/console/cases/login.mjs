// The login with a real issuer: authorization code with PKCE, what each scope is offered, and what goes wrong in words.
import assert from 'node:assert/strict';
import {Api, pause, until} from '../api.mjs';
import {withPage} from '../browser.mjs';
import {CLIENT, startIssuer} from '../issuer.mjs';
import {loaded, sees, waitForPath} from '../page.mjs';
import {freePort, Server} from '../serve.mjs';
import {kept} from '../world.mjs';

const SKEW_SECONDS = 60;  // what the server allows clocks to differ by

let started;

/** One issuer and one server with auth for all cases here. */
function place() {
  started ??= (async () => {
    const port = await freePort();
    const issuer = await kept(startIssuer([`http://127.0.0.1:${port}/console/login`]));
    const server = new Server({EILBOTE_AUTH: 'oidc', EILBOTE_OIDC_ISSUER: issuer.url, EILBOTE_OIDC_AUDIENCE: 'eilbote',
      EILBOTE_CONSOLE_CLIENT_ID: CLIENT, EILBOTE_CONSOLE_AUDIENCE: issuer.resource});
    server.port = port;
    await kept(server.start());
    return {issuer, server};
  })();
  return started;
}

async function here(use) {
  const {issuer, server} = await place();
  issuer.tokenSeconds = 300;
  await withPage({origin: server.url, elsewhere: [issuer.url]}, (page, watch) => use(page, watch, {issuer, server}));
}

async function logIn(page, who, path) {
  await page.goto(`/console${path}`);
  await page.getByLabel('Name').fill(who);
  await page.getByRole('button', {name: 'Log in'}).click();
}

/** The token of the page's next call. */
async function tokenOf(page) {
  const request = page.waitForRequest((one) => Boolean(one.headers().authorization));
  await page.locator('[data-refresh]').click();
  return (await request).headers().authorization.replace('Bearer ', '');
}

export const cases = {
  'a login leads to the issuer and back to the page that was asked for, filters included': () => here(async (page, watch, {server}) => {
    await logIn(page, 'ada', '/messages?status=FAILED');
    await waitForPath(page, /^\/console\/messages\?status=FAILED$/);
    await loaded(page);
    await sees(page, '<b>ada</b>');  // a name is text
    await page.getByRole('link', {name: 'Pools'}).first().click();
    await loaded(page);
    await page.getByRole('button', {name: 'New pool'}).click();
    await page.getByLabel('Code').fill(`by-ada-${Date.now().toString(36)}`);
    await page.locator('dialog').getByRole('button', {name: 'Save'}).click();
    await sees(page, 'is saved.');
    const api = new Api(server.url, await tokenOf(page));
    const [entry] = (await api.get('/audit?limit=1')).data;
    assert.equal(entry.action, 'pool.create');
    assert.match(entry.actor, /ada/, 'the audit log does not name the person');
  }),

  'the token is in memory only, and nothing of a login is left behind': () => here(async (page, watch, {server}) => {
    await logIn(page, 'ada', '/pools');
    await waitForPath(page, /^\/console\/pools$/);
    await loaded(page);
    const stores = await page.evaluate(() => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href]));
    assert.ok(!/eyJ|code=|eilbote\.login|verifier/.test(stores), stores);
    const cookies = await page.context().cookies(server.url);
    const ours = (await Promise.all(['/console', '/console/app.js', '/overview', '/health/live'].map((path) => fetch(server.url + path)))).map((one) => one.headers.get('set-cookie'));
    assert.deepEqual(ours, [null, null, null, null]);
    assert.ok(cookies.every((one) => one.name.startsWith('_')), 'a cookie that is not the issuer\'s (same host, other port)');
  }),

  'a reload goes through the issuer without asking again': () => here(async (page, watch, {issuer}) => {
    await logIn(page, 'ada', '/groups');
    await waitForPath(page, /^\/console\/groups$/);
    const before = issuer.logins;
    await page.reload();
    await waitForPath(page, /^\/console\/groups$/);
    await loaded(page);
    await sees(page, 'No group is blocked.');
    assert.equal(issuer.logins, before);
  }),

  'with ops.read alone no act is offered, and the API refuses them': () => here(async (page, watch, {server}) => {
    await logIn(page, 'reader', '/pools');
    await waitForPath(page, /^\/console\/pools$/);
    await loaded(page);
    await sees(page, 'You may look at everything, and change nothing: your token has no scope ops.admin.');
    const acts = page.locator('main').getByRole('button', {name: /New pool|Edit|Pause|Resume/});
    assert.ok((await acts.count()) > 2);
    for (const act of await acts.all()) assert.ok(await act.isDisabled());
    const api = new Api(server.url, await tokenOf(page));
    assert.equal((await api.call('GET', '/overview')).status, 200);
    assert.equal((await api.call('POST', '/dispatch-pools', {code: 'not-by-reader'})).status, 403);
    assert.equal((await api.call('POST', '/dispatch-pools/mail/suspend')).status, 403);
    assert.equal((await api.call('POST', '/messages/requeue', {filter: {}})).status, 403);
    assert.equal((await api.call('GET', '/service-accounts')).status, 403);
    await page.getByRole('link', {name: 'Service accounts'}).click();
    await sees(page, 'This needs the scope ops.admin.');
  }),

  'a login that was not begun in this tab is refused, and can be begun again': () => here(async (page) => {
    await page.goto('/console/login?code=stolen&state=forged');
    await sees(page, 'This login was not begun in this tab, or was finished already. Begin again.');
    await page.getByRole('button', {name: 'Try again'}).click();
    await page.getByLabel('Name').fill('ada');
    await page.getByRole('button', {name: 'Log in'}).click();
    await page.locator('[data-live=live]').waitFor();
  }),

  'a code is good for one login: the address of the way back cannot be used again': () => here(async (page) => {
    let back;
    page.on('request', (request) => { if (/\/console\/login\?/.test(request.url())) back = request.url(); });
    await logIn(page, 'ada', '/pools');
    await waitForPath(page, /^\/console\/pools$/);
    assert.ok(back);
    await page.goto(back);
    await sees(page, 'This login was not begun in this tab');
  }),

  'an issuer that refuses is quoted': () => here(async (page) => {
    await page.goto('/console/login?error=access_denied&error_description=not+today&state=x');
    await sees(page, 'not today');
  }),

  'an ended token leads through the issuer and back to the same page': () => here(async (page, watch, {issuer}) => {
    issuer.tokenSeconds = 6 - SKEW_SECONDS;  // good for a few seconds more
    await logIn(page, 'ada', '/suppressions');
    await waitForPath(page, /^\/console\/suppressions$/);
    await loaded(page);
    issuer.tokenSeconds = 300;
    await pause(7000);
    watch.expectStatus(401, /suppressions/);
    await page.clock.setFixedTime(Date.now() + 60_000);  // the page takes a refusal right after a login for a fault
    await page.locator('[data-refresh]').click();
    await page.waitForURL(/\/auth\?|\/console\/login/);
    await waitForPath(page, /^\/console\/suppressions$/);
    await sees(page, 'No address is suppressed.');
  }),

  'a token that the server never takes does not make the page go round': () => here(async (page, watch, {issuer}) => {
    issuer.tokenSeconds = -2 * SKEW_SECONDS;
    watch.expectStatus(401, /./);
    let rounds = 0;
    page.on('request', (request) => { if (/\/auth\?/.test(request.url())) rounds += 1; });
    await logIn(page, 'ada', '/suppressions');
    await sees(page, 'The server does not take this token');
    await pause(2000);
    assert.equal(rounds, 1);
  }),

  'a console without a client id says which option to set': async () => {
    const {issuer} = await place();
    const server = await new Server({EILBOTE_AUTH: 'oidc', EILBOTE_OIDC_ISSUER: issuer.url, EILBOTE_OIDC_AUDIENCE: 'eilbote'}).start();
    try {
      await withPage({origin: server.url}, async (page) => {
        await page.goto('/console');
        await sees(page, /EILBOTE_CONSOLE_CLIENT_ID/);
      });
    } finally {
      await server.end();
    }
  },

  'logging out ends the session at the issuer': () => here(async (page, watch, {issuer}) => {
    await logIn(page, 'ada', '/pools');
    await waitForPath(page, /^\/console\/pools$/);
    await page.getByRole('button', {name: 'Log out'}).click();
    await until('the issuer asks', () => page.url().startsWith(issuer.url));
  }),
};
