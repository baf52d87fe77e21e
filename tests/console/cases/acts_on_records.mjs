// Pools, groups, breakers, suppressions and service accounts, changed through the page: the effect is asked of the API, and the act
// of the audit log.
import assert from 'node:assert/strict';
import {until} from '../api.mjs';
import {withPage} from '../browser.mjs';
import {answer, open, row, rowIds, sees} from '../page.mjs';
import {world} from '../world.mjs';

const here = (use) => withPage({origin: world.server.url}, use);
const pool = (code) => world.api.get(`/dispatch-pools/${code}`);
const account = async (code) => (await world.api.get(`/service-accounts?code=${code}`)).data[0];
const unique = (word) => `${word}-${Date.now().toString(36)}`;

async function isRecorded(target, action, count = 1) {
  const entries = (await world.api.get(`/audit?${new URLSearchParams({target})}`)).data;
  assert.equal(entries.filter((one) => one.action === action).length, count, JSON.stringify(entries));
}

async function newPool(page, code, fields = {}) {
  await open(page, '/pools');
  await page.getByRole('button', {name: 'New pool'}).click();
  await page.getByLabel('Code').fill(code);
  for (const [label, value] of Object.entries(fields)) await page.locator('dialog').getByLabel(label).fill(value);
  await answer(page, 'Save');
  await sees(page, `Pool ${code} is saved.`);
}

async function newAccount(page, code, fields = {}) {
  await open(page, '/accounts');
  await page.getByRole('button', {name: 'New service account'}).click();
  await page.getByLabel('Code').fill(code);
  await page.getByLabel('Name', {exact: true}).fill(`Account ${code}`);
  for (const [label, value] of Object.entries(fields)) await page.locator('dialog').getByLabel(label).fill(value);
  await answer(page, 'Save');
  await sees(page, 'This is shown only now.');
}

const secretsShown = (page) => page.locator('dialog .secret code').allInnerTexts();

async function keepSecrets(page) {
  await page.getByLabel('I have kept it safely.').check();
  await answer(page, 'Close');
}

/** A group whose first job is dead, and one behind it. */
async function blockedGroup(name) {
  world.sink.mood = 404;
  const job = (path) => ({source: 'acts', code: 'c', targetUrl: world.sink.hosts.good + path, payload: '{}', mode: 'BLOCK_ON_ERROR', messageGroup: name});
  const ids = await world.api.jobs([job('/flaky/first'), job('/200/second')]);
  const blocked = async () => (await world.api.get('/message-groups?blocked=true&limit=200')).data.some((one) => one.group === name);
  await until('the group is blocked', blocked);
  return ids;
}

const jobStatus = async (id) => (await world.api.get(`/dispatch-jobs/${id}`)).status;

export const cases = {
  'a pool is made, resized, paused and resumed': () => here(async (page) => {
    const code = unique('pool');
    await newPool(page, code, {'Deliveries per minute': '60', Concurrency: '5'});
    assert.deepEqual([(await pool(code)).rateLimitPerMinute, (await pool(code)).concurrency], [60, 5]);
    await page.getByRole('button', {name: `Edit pool ${code}`}).click();
    await page.locator('dialog').getByLabel('Concurrency').fill('9');
    await page.locator('dialog').getByLabel('Deliveries per minute').fill('');
    await answer(page, 'Save');
    await until('it is changed', async () => (await pool(code)).concurrency === 9);
    assert.equal((await pool(code)).rateLimitPerMinute, null);
    await page.getByRole('button', {name: `Pause pool ${code}`}).click();
    await answer(page, 'Pause');
    await sees(page, `Pool ${code} is paused.`);
    assert.equal((await pool(code)).status, 'SUSPENDED');
    assert.equal((await row(page, code)).state, 'SUSPENDED');
    await page.getByRole('button', {name: `Resume pool ${code}`}).click();
    await sees(page, `Pool ${code} goes on.`);
    assert.equal((await pool(code)).status, 'ACTIVE');
    for (const act of ['create', 'change', 'suspend', 'activate']) await isRecorded(`pool:${code}`, `pool.${act}`);
  }),

  'a pool paused on the overview starts nothing until it is resumed there': () => here(async (page) => {
    const code = unique('lane');
    await world.api.post('/dispatch-pools', {code});
    await open(page, '');
    await page.getByRole('button', {name: `Pause pool ${code}`}).click();
    await answer(page, 'Pause');
    await sees(page, `Pool ${code} is paused.`);
    const [id] = await world.api.jobs([{source: 'acts', code: 'c', targetUrl: `${world.sink.hosts.good}/200/x`, payload: '{}', dispatchPoolId: code}]);
    await until('the overview shows that it waits', async () => (await row(page, code)).Waiting === '1');
    assert.notEqual(await jobStatus(id), 'COMPLETED');
    await page.getByRole('button', {name: `Resume pool ${code}`}).click();
    await until('it goes out', async () => (await jobStatus(id)) === 'COMPLETED');
  }),

  'faults of a form are all shown, beside what was typed': () => here(async (page, watch) => {
    await open(page, '/pools');
    await page.getByRole('button', {name: 'New pool'}).click();
    await page.getByLabel('Code').fill('held');
    watch.expectStatus(409, /dispatch-pools$/);
    await answer(page, 'Save');
    await page.locator('dialog .error-box').waitFor();
    assert.equal(await page.getByLabel('Code').inputValue(), 'held');
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({state: 'detached'});
  }),

  'a blocked group goes on when its job is skipped': () => here(async (page) => {
    const name = unique('skip');
    const [first, second] = await blockedGroup(name);
    await open(page, '/groups');
    await page.getByRole('button', {name: `Skip the job that blocks ${name}`}).click();
    await answer(page, 'Skip');
    await sees(page, `${name} goes on with the next job.`);
    assert.equal(await jobStatus(first), 'CANCELLED');
    await until('the next goes out', async () => (await jobStatus(second)) === 'COMPLETED');
    await until('the list has it no more', async () => !(await rowIds(page)).some((id) => id.endsWith(` ${name}`)));
    await isRecorded(first, 'skip');
  }),

  'a blocked group goes on when its job is retried': () => here(async (page) => {
    const name = unique('retry');
    const [first, second] = await blockedGroup(name);
    world.sink.mood = 200;
    await open(page, '/groups');
    await page.getByRole('button', {name: `Retry the job that blocks ${name}`}).click();
    await sees(page, `The job that blocked ${name} is queued again.`);
    await until('both go out', async () => (await jobStatus(first)) === 'COMPLETED' && (await jobStatus(second)) === 'COMPLETED');
    await isRecorded(first, 'retry');
  }),

  'an open breaker is reset': () => here(async (page) => {
    const route = new URL(world.sink.hosts.bad).host;
    const breaker = async () => (await world.api.get('/breakers')).data.find((one) => one.route === route);
    if ((await breaker())?.state === 'closed') {  // it was probed meanwhile: shut it again
      await world.api.jobs(Array.from({length: 40}, () => ({source: 'acts', code: 'c', targetUrl: `${world.sink.hosts.bad}/500/x`, payload: '{}'})));
    }
    await until('the breaker is open', async () => (await breaker())?.state !== 'closed');
    await open(page, '/routes');
    await page.getByRole('button', {name: `Reset the breaker of ${route}`}).click();
    await sees(page, `The breaker of ${route} is closed`);
    await isRecorded(`breaker:${route}`, 'breaker.reset');
  }),

  'an address is suppressed, found, and taken off the list again': () => here(async (page, watch) => {
    const address = `${unique('no')}@example.org`;
    await open(page, '/suppressions');
    await page.getByRole('button', {name: 'Suppress an address'}).click();
    await page.locator('dialog').getByLabel('Address').fill('not an address');
    watch.expectStatus(400, /suppressions$/);
    await answer(page, 'Add');
    await page.locator('dialog .error-box').waitFor();
    await page.locator('dialog').getByLabel('Address').fill(address);
    await page.locator('dialog').getByLabel('Reason').fill('asked by telephone');
    await answer(page, 'Add');
    await sees(page, `No mail goes to ${address} any more.`);
    const found = async () => (await world.api.get(`/suppressions?address=${encodeURIComponent(address)}`)).data;
    assert.equal((await found())[0].reason, 'asked by telephone');
    await page.locator('main').getByLabel('Address').fill(address);
    await page.keyboard.press('Enter');
    await until('one is left', async () => (await rowIds(page)).length === 1);
    await page.getByRole('button', {name: `Remove ${address} from the list`}).click();
    await answer(page, 'Remove');
    await sees(page, `Mails go to ${address} again.`);
    assert.deepEqual(await found(), []);
    const acts = (await world.api.get('/audit?limit=10')).data.map((one) => one.action);
    assert.ok(acts.includes('suppression.add') && acts.includes('suppression.remove'), acts.join());
  }),

  'a service account is made with secrets that are shown once': () => here(async (page) => {
    const code = unique('acc');
    await newAccount(page, code, {Clients: 'shop, billing'});
    const secrets = await secretsShown(page);
    assert.match(secrets[0], /^fc_/);
    assert.match(secrets[1], /^whsec_/);
    await page.keyboard.press('Escape');
    await sees(page, 'This is shown only now.');  // what is gone cannot be had again, so Escape leaves it
    await page.getByRole('button', {name: 'Copy: Token'}).click();
    await until('it is in the clipboard', async () => (await page.evaluate(() => navigator.clipboard.readText())) === secrets[0]);
    await keepSecrets(page);
    assert.deepEqual((await account(code)).clientIds, ['shop', 'billing']);
    await isRecorded(`account:${code}`, 'account.create');
    const everywhere = JSON.stringify([await account(code), await world.api.audit(`account:${code}`)]) + (await page.content());
    for (const secret of secrets) assert.ok(!everywhere.includes(secret), 'a secret is shown twice');
  }),

  'a service account is changed, switched off and on': () => here(async (page) => {
    const code = unique('chg');
    await world.api.post('/service-accounts', {code, name: 'Before', clientIds: ['shop']});
    await open(page, '/accounts');
    await page.getByRole('button', {name: `Edit account ${code}`}).click();
    await page.getByLabel('Name', {exact: true}).fill('After');
    await page.locator('dialog').getByLabel('Clients').fill('a b, c');
    await answer(page, 'Save');
    await sees(page, `Account ${code} is saved.`);
    assert.deepEqual([(await account(code)).name, (await account(code)).clientIds], ['After', ['a', 'b', 'c']]);
    await page.getByRole('button', {name: `Switch off account ${code}`}).click();
    await answer(page, 'Switch off');
    await sees(page, `Account ${code} is off.`);
    assert.equal((await account(code)).active, false);
    await page.getByRole('button', {name: `Switch on account ${code}`}).click();
    await sees(page, `Account ${code} is on.`);
    assert.equal((await account(code)).active, true);
    for (const act of ['update', 'deactivate', 'activate']) await isRecorded(`account:${code}`, `account.${act}`);
  }),

  'a change of an account that somebody else changed meanwhile is refused': () => here(async (page, watch) => {
    const code = unique('twice');
    await world.api.post('/service-accounts', {code, name: 'Before', clientIds: []});
    await open(page, '/accounts');
    await page.getByRole('button', {name: `Edit account ${code}`}).click();
    const {id} = await account(code);
    await world.api.call('PUT', `/service-accounts/${id}`, {name: 'By another'});
    await page.getByLabel('Name', {exact: true}).fill('By me');
    watch.expectStatus(409, /service-accounts/);
    await answer(page, 'Save');
    await page.locator('dialog .error-box').waitFor();
    assert.equal((await account(code)).name, 'By another');
  }),

  'a new token and a new secret of an account are shown once': () => here(async (page) => {
    const code = unique('new');
    await world.api.post('/service-accounts', {code, name: 'N', clientIds: []});
    await open(page, '/accounts');
    await page.getByRole('button', {name: `New token for ${code}`}).click();
    await answer(page, 'New token');
    await sees(page, 'This is shown only now.');
    assert.match((await secretsShown(page))[0], /^fc_/);
    await keepSecrets(page);
    await page.getByRole('button', {name: `New secret for ${code}`}).click();
    await answer(page, 'New secret');
    await sees(page, 'The old secret signs along until');
    assert.match((await secretsShown(page))[0], /^whsec_/);
    await keepSecrets(page);
    const acts = (await world.api.audit(`account:${code}`)).map((one) => one.action);
    assert.equal(acts.length, 3, acts.join());  // made, and twice made anew
  }),
};
