// What can be done to mails and jobs, done through the page: the effect is asked of the API, and the act of the audit log.
import assert from 'node:assert/strict';
import {pause, until} from '../api.mjs';
import {withPage} from '../browser.mjs';
import {answer, loaded, open, rowIds, sees, state} from '../page.mjs';
import {world} from '../world.mjs';

const here = (use) => withPage({origin: world.server.url}, use);
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();
const mail = (to, more = {}) => ({from: 'shop@example.org', to: [to], subject: 'An act', body: {text: 'x'}, ...more});
const job = (path, more = {}) => ({source: 'acts', code: 'shop:acts:act:done', targetUrl: world.sink.hosts.good + path, payload: '{}', ...more});
const statusOf = async (id) => (await world.api.get(`/messages/${id}`)).status;
const jobOf = (id) => world.api.get(`/dispatch-jobs/${id}`);

async function oneMail(to, status, more) {
  const [id] = await world.api.mails([mail(to, more)]);
  await until(`${id} is ${status}`, async () => (await statusOf(id)) === status);
  return id;
}

async function oneJob(path, reached, more) {
  const [id] = await world.api.jobs([job(path, more)]);
  await until(`${id} is as wanted`, async () => reached(await jobOf(id)));
  return id;
}

/** Exactly one entry about it by this act, or the whole list in the failure. */
async function isRecorded(target, action) {
  const entries = (await world.api.get(`/audit?${new URLSearchParams({target})}`)).data;
  assert.equal(entries.filter((one) => one.action === action).length, 1, JSON.stringify(entries));
}

async function act(page, path, button, said) {
  await open(page, path);
  await page.locator('main').getByRole('button', {name: button, exact: true}).click();
  await answer(page, button);
  await sees(page, said);
}

// Each step of a requeue takes a while, so that there is a moment to look at, and to stop at.
async function slowly(page) {
  await page.route('**/messages/requeue', async (route) => { await pause(400); await route.continue(); });
}

const isDead = (one) => one.status === 'ERROR' && one.completedAt !== null;

export const cases = {
  'a failed mail is retried': () => here(async (page) => {
    const id = await oneMail('retry+permanent@example.org', 'FAILED');
    await act(page, `/messages/${id}`, 'Retry', 'It is queued again.');
    await until('a second attempt', async () => (await world.api.get(`/messages/${id}/attempts`)).data.length === 2);
    await isRecorded(id, 'retry');
    await until('the page shows the second attempt by itself', async () => (await page.locator('.moment.attempt').count()) === 2);
  }),

  'a waiting mail is cancelled': () => here(async (page) => {
    const id = await oneMail('cancel@example.org', 'QUEUED', {scheduledFor: tomorrow()});
    await act(page, `/messages/${id}`, 'Cancel', 'It is cancelled.');
    assert.equal(await statusOf(id), 'CANCELLED');
    await until('the page shows it', async () => (await state(page)) === 'CANCELLED');
    await isRecorded(id, 'cancel');
  }),

  'a retrying mail is given up': () => here(async (page) => {
    const id = await oneMail('giveup+transient@example.org', 'RETRY_PENDING');
    await act(page, `/messages/${id}`, 'Give up', 'It is given up.');
    const message = await world.api.get(`/messages/${id}`);
    assert.equal(message.status, 'FAILED');
    assert.equal(message.details.deadReason, 'Abandoned');
    await isRecorded(id, 'abandon');
  }),

  'a dead job is retried, and goes out once its endpoint works': () => here(async (page) => {
    world.sink.mood = 404;
    const id = await oneJob('/flaky/retry', isDead);
    world.sink.mood = 200;
    await act(page, `/jobs/${id}`, 'Retry', 'It is queued again.');
    await until('it is delivered', async () => (await jobOf(id)).status === 'COMPLETED');
    await until('the page shows it by itself', async () => (await state(page)) === 'COMPLETED');
    await isRecorded(id, 'retry');
  }),

  'a waiting job is cancelled': () => here(async (page) => {
    const id = await oneJob('/200/x', (one) => one.status === 'PENDING', {scheduledFor: tomorrow()});
    await act(page, `/jobs/${id}`, 'Cancel', 'It is cancelled.');
    assert.equal((await jobOf(id)).status, 'CANCELLED');
    await isRecorded(id, 'cancel');
  }),

  'a job that hangs at its endpoint is cancelled after a word about the attempt under way': () => here(async (page) => {
    const [id] = await world.api.jobs([{...job('/hang/x', {timeoutSeconds: 3, maxRetries: 3}), targetUrl: `${world.sink.hosts.slow}/hang/x`}]);
    await until('it is under way', async () => (await jobOf(id)).status === 'IN_PROGRESS');
    await open(page, `/jobs/${id}`);
    await page.locator('main').getByRole('button', {name: 'Cancel', exact: true}).click();
    await sees(page, 'It is being delivered right now');
    await answer(page, 'Cancel');
    await sees(page, 'It is cancelled.');
    await until('no other attempt follows', async () => (await jobOf(id)).status === 'CANCELLED');
  }),

  'what the state no longer allows is refused in words, and the page shows the new state': () => here(async (page, watch) => {
    const id = await oneMail('late@example.org', 'QUEUED', {scheduledFor: tomorrow()});
    await open(page, `/messages/${id}`);
    await page.locator('main').getByRole('button', {name: 'Give up', exact: true}).click();
    await world.api.delete(`/messages/${id}`);
    watch.expectStatus(409, new RegExp(id));
    await answer(page, 'Give up');
    await sees(page, 'The state of things forbids this');
    await until('the page shows it', async () => (await state(page)) === 'CANCELLED');
  }),

  'chosen mails of a list are given up together, and what is not done is named': () => here(async (page, watch) => {
    const tag = `chosen-${Date.now()}`;
    const ids = await world.api.mails(Array.from({length: 5}, (_, n) => mail(`bulk${n}+transient@example.org`, {tags: [tag]})));
    await until('all wait for a retry', async () => (await world.api.get(`/messages?tag=${tag}&status=RETRY_PENDING`)).data.length === 5);
    await open(page, `/messages?tag=${tag}`);
    await page.getByLabel('Select all on this page').check();
    await sees(page, '5 selected');
    await world.api.delete(`/messages/${ids[0]}`);
    watch.expectStatus(409, new RegExp(ids[0]));
    await page.locator('.bulk-bar').getByRole('button', {name: 'Give up'}).click();
    await answer(page, 'Give up');
    await sees(page, 'Done: 4. Not done: 1.');
    await sees(page, new RegExp(`^${ids[0]}: `));
    await answer(page, 'Close');
    assert.equal((await world.api.get(`/messages?tag=${tag}&deadReason=Abandoned`)).data.length, 4);
    for (const id of ids.slice(1)) await isRecorded(id, 'abandon');
  }),

  'all dead mails that match are sent again: counted first, done once each, with progress': () => here(async (page) => {
    const tag = `again-${Date.now()}`;
    const ids = await world.api.mails(Array.from({length: 450}, (_, n) => mail(`again${n}+permanent@example.org`, {tags: [tag]})));
    const failed = async () => (await world.api.post('/messages/requeue', {filter: {tag}, dryRun: true, limit: 1000})).matched;
    await until('all are dead', async () => (await failed()) === ids.length);
    // Steps that take a while: what was sent again is dead again before the next one, and must not be met twice.
    await slowly(page);
    await open(page, `/dead?tag=${tag}`);
    await page.getByRole('button', {name: 'Retry all that match'}).click();
    await sees(page, 'Send 450 again?');
    assert.equal((await world.api.get(`/messages/${ids[0]}/attempts`)).data.length, 1, 'counting changed something');
    await answer(page, 'Retry 450');
    await sees(page, '450 sent again.');
    await answer(page, 'Close');
    await until('all failed again', async () => (await failed()) === ids.length);
    await until('each has exactly one attempt more', async () => {
      const attempts = [];
      for (const id of ids) attempts.push((await world.api.get(`/messages/${id}/attempts`)).data.length);
      assert.ok(attempts.every((n) => n <= 2), `some were sent again twice: ${attempts.filter((n) => n > 2).length}`);
      return attempts.every((n) => n === 2);
    });
    for (const id of [ids[0], ids[224], ids[449]]) await isRecorded(id, 'retry');
  }),

  'a requeue of many can be stopped, and says how far it came': () => here(async (page) => {
    const tag = `stop-${Date.now()}`;
    const ids = await world.api.mails(Array.from({length: 1000}, (_, n) => mail(`stop${n}+permanent@example.org`, {tags: [tag]})));
    const failed = async () => (await world.api.post('/messages/requeue', {filter: {tag}, dryRun: true, limit: 2000})).matched;
    await until('all are dead', async () => (await failed()) === ids.length, 30_000);
    await slowly(page);
    await open(page, `/dead?tag=${tag}`);
    await page.getByRole('button', {name: 'Retry all that match'}).click();
    await answer(page, 'Retry 1,000');
    await sees(page, /^[2468]00 of 1,000$/);
    await answer(page, 'Stop');
    await sees(page, /^Stopped\. \d+ sent again\.$/);
    const said = Number(/\d+/.exec(await page.getByText(/^Stopped\./).innerText())[0]);
    assert.ok(said >= 200 && said < 1000, `${said} of 1000`);
    const twice = async (id) => (await world.api.get(`/messages/${id}/attempts`)).data.length === 2;
    await until('as many as were said have a second attempt', async () => {
      let found = 0;
      for (const id of ids.filter((_, at) => at % 20 === 0)) found += (await twice(id)) ? 20 : 0;
      return Math.abs(found - said) <= 20;
    });
  }),

  'all dead jobs that match are sent again': () => here(async (page) => {
    const externalId = `dead-${Date.now()}`;
    world.sink.mood = 404;
    const ids = await world.api.jobs(Array.from({length: 30}, () => job('/flaky/all', {externalId})));
    const dead = async () => (await world.api.post('/dispatch-jobs/requeue', {filter: {externalId}, dryRun: true, limit: 100})).matched;
    await until('all are dead', async () => (await dead()) === ids.length);
    world.sink.mood = 200;
    await open(page, `/dead?channel=webhook&externalId=${externalId}`);
    assert.equal((await rowIds(page)).length, 30);
    await page.getByRole('button', {name: 'Retry all that match'}).click();
    await answer(page, 'Retry 30');
    await sees(page, '30 sent again.');
    await answer(page, 'Close');
    await until('all went out', async () => (await world.api.get(`/dispatch-jobs?externalId=${externalId}&status=COMPLETED`)).data.length === 30);
    await isRecorded(ids[7], 'retry');
    await page.locator('[data-refresh]').click();
    await loaded(page);
    assert.equal((await rowIds(page)).length, 0);
  }),
};
