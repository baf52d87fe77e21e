// Every screen opens, with its own address, and shows what the API answers to the same question.
import assert from 'node:assert/strict';
import {withPage} from '../browser.mjs';
import {answer, loaded, open, row, rowIds, sees, shown, state} from '../page.mjs';
import {world} from '../world.mjs';

const here = (use, more = {}) => withPage({origin: world.server.url, ...more}, use);
const idOf = (one) => one.messageId ?? one.id;
const newest = async (path) => (await world.api.list(path, 1))[0];
const maybe = async (path) => (await world.api.list(path, 1).catch(() => []))[0];

/** The rows are the first of what the API lists, and a page full unless there are fewer. */
async function rowsAre(page, api) {
  const want = await world.api.list(api, 250);
  const rows = await rowIds(page);
  assert.ok(rows.length >= Math.min(50, want.length), `${rows.length} rows only`);
  assert.deepEqual(rows, want.slice(0, rows.length).map(idOf));
  return want;
}

const routeId = ({instance, channel, route}) => `${instance} ${channel} ${route}`;

async function overviewShowsTheApi(page) {
  await open(page, '');
  await page.locator('[data-live=live]').waitFor();
  const {pools, routes, dead, blockedGroups, attention} = await world.api.get('/overview');
  for (const pool of pools) {
    const {state: status, ...cells} = await row(page, pool.pool);
    assert.equal(status, pool.status);
    assert.equal(cells.Waiting, shown(pool.waiting), `waiting in ${pool.pool}`);
    assert.equal(cells.Due, shown(pool.due), `due in ${pool.pool}`);
  }
  for (const route of routes) assert.equal((await row(page, routeId(route))).state, route.state);
  await sees(page, `(${shown(dead.count)})`);
  const reasons = await page.locator('.reasons strong').allInnerTexts();
  assert.deepEqual(reasons.sort(), Object.values(dead.byReason).map(shown).sort());
  assert.equal(await page.locator('.facts').getByRole('link').first().innerText(), shown(blockedGroups));
  assert.equal(await page.locator('.attention li').count(), attention.length);
  assert.deepEqual(await page.locator('.attention li').evaluateAll((all) => all.map((one) => one.className.replace('attention-', ''))),
    attention.map((one) => one.severity));
}

async function listShowsTheApi(page, path, api, statusOf) {
  await open(page, path);
  for (const one of (await rowsAre(page, api)).slice(0, 10)) assert.equal((await row(page, idOf(one))).state, statusOf(one));
}

const jobState = (job) => (job.status === 'ERROR' && job.completedAt ? 'DEAD' : job.status);

async function mailDetailShowsTheApi(page, mail) {
  await open(page, `/messages/${mail.messageId}`);
  const [message, attempts, events] = await Promise.all(['', '/attempts', '/events'].map((part) => world.api.get(`/messages/${mail.messageId}${part}`)));
  assert.equal(await state(page), message.status);
  assert.equal(await page.locator('.moment.attempt').count(), attempts.data.length);
  assert.equal(await page.locator('.moment.event').count(), events.data.length);
  for (const recipient of message.details.recipients) {
    assert.equal((await row(page, `${recipient.kind} ${recipient.address}`)).state, recipient.status);
  }
  if (message.details.lastError) await sees(page, message.details.lastError.message);
  const waits = message.status === 'QUEUED' || message.status === 'RETRY_PENDING';
  assert.equal(await page.locator('.why').count(), waits ? 1 : 0);
  if (waits) {
    const {why} = await world.api.get(`/jobs/${mail.messageId}/why`);
    const said = (await page.locator('.why p').innerText()).toLowerCase();
    assert.ok(said.startsWith(why.slice(0, 20).toLowerCase()), `${said} is not ${why}`);
    assert.doesNotMatch(said, /\d{4}-\d\d-\d\dT/, 'a time that is not in the reader\'s zone');
  }
}

export const cases = {
  'the overview shows what GET /overview answers': () => here(overviewShowsTheApi),

  'the list of mails shows the newest of GET /messages': () =>
    here((page) => listShowsTheApi(page, '/messages', '/messages', (one) => one.status)),

  'the list of jobs shows the newest of GET /dispatch-jobs': () =>
    here((page) => listShowsTheApi(page, '/jobs', '/dispatch-jobs', jobState)),

  'a mail in each state shows its state, recipients, attempts, events and why it waits': () => here(async (page) => {
    for (const status of ['SENT', 'FAILED', 'RETRY_PENDING', 'QUEUED', 'CANCELLED']) {
      await mailDetailShowsTheApi(page, await newest(`/messages?status=${status}`));
    }
  }),

  'a job in each state shows its state, attempts and events': () => here(async (page) => {
    for (const query of ['status=COMPLETED', 'deadReason=PermanentFailure', 'status=ERROR&retryable=true', 'status=PENDING', 'status=QUEUED']) {
      const found = await maybe(`/dispatch-jobs?${query}`);
      if (!found) continue;
      await open(page, `/jobs/${found.id}`);
      const job = await world.api.get(`/dispatch-jobs/${found.id}`);
      assert.equal(await state(page), jobState(job));
      assert.equal(await page.locator('.moment.attempt').count(), (await world.api.get(`/dispatch-jobs/${job.id}/attempts`)).data.length);
      assert.equal(await page.locator('.moment.event').count(), (await world.api.get(`/dispatch-jobs/${job.id}/events`)).data.length);
      await sees(page, job.targetUrl);
    }
  }),

  'a payload is hidden until asked for, and its numbers are as they were sent': () => here(async (page) => {
    const {id} = await newest('/dispatch-jobs?status=COMPLETED');
    await open(page, `/jobs/${id}`);
    assert.equal(await page.getByText('12345678901234567890.10').count(), 0);
    await page.getByRole('button', {name: 'Show headers and payload'}).click();
    await sees(page, '12345678901234567890.10');
  }),

  'the content of a mail is hidden until asked for, and the look is on the audit record': () => here(async (page) => {
    const {messageId} = await newest('/messages?status=SENT');
    await open(page, `/messages/${messageId}`);
    assert.equal((await world.api.audit(messageId, 'message.read_content')).length, 0);
    await page.getByRole('button', {name: 'Show content (this is recorded)'}).click();
    const content = await world.api.get(`/messages/${messageId}/content`);
    await sees(page, content.text);
    await sees(page, content.subject);
    assert.equal((await world.api.audit(messageId, 'message.read_content')).length, 2);  // the page's look, and ours
  }),

  'dead letters show failed mails, dead jobs and mails still retried, each in its tab': () => here(async (page) => {
    await open(page, '/dead');
    await rowsAre(page, '/messages?status=FAILED');
    await page.getByRole('link', {name: 'Dead webhook jobs'}).click();
    await loaded(page);
    const dead = await rowIds(page);
    assert.ok(dead.length >= 50);
    for (const id of dead.slice(0, 5)) assert.equal(jobState(await world.api.get(`/dispatch-jobs/${id}`)), 'DEAD');
    await page.getByRole('link', {name: 'Mails still retried'}).click();
    await loaded(page);
    await rowsAre(page, '/messages?status=RETRY_PENDING');
    await page.getByRole('link', {name: 'Bounced mails'}).click();
    await loaded(page);
    assert.deepEqual(await rowIds(page), (await world.api.get('/messages?status=BOUNCED')).data.map(idOf));
  }),

  'a reason of death leads from the overview to exactly its dead letters': () => here(async (page) => {
    await open(page, '');
    await page.locator('.reasons').getByRole('link', {name: 'Answer lost, held'}).click();
    await loaded(page);
    await rowsAre(page, '/messages?status=FAILED&deadReason=Uncertain');
  }),

  'pools show their limits and what is in them': () => here(async (page) => {
    await open(page, '/pools');
    await page.locator('[data-live=live]').waitFor();
    const {data} = await world.api.get('/dispatch-pools');
    const now = new Map((await world.api.get('/overview')).pools.map((one) => [one.pool, one]));
    assert.deepEqual(await rowIds(page), data.map((one) => one.code));
    for (const pool of data) {
      const seen = await row(page, pool.code);
      assert.equal(seen.state, pool.status);
      assert.equal(seen.Concurrency, pool.concurrency === null ? 'no limit' : pool.concurrency.toLocaleString('en-GB'));
      assert.equal(seen.Rate, pool.rateLimitPerMinute === null ? 'no limit' : `${pool.rateLimitPerMinute.toLocaleString('en-GB')} / min`);
      assert.equal(seen.Waiting, shown(now.get(pool.code).waiting));
    }
  }),

  'blocked groups show which job blocks them and how many wait behind it': () => here(async (page) => {
    await open(page, '/groups');
    const {data} = await world.api.get('/message-groups?blocked=true');
    assert.equal((await rowIds(page)).length, data.length);
    for (const group of data.slice(0, 5)) {
      const seen = await row(page, `${group.channel} ${group.clientId} ${group.group}`);
      assert.equal(seen['Blocked by'], group.blockingJobId);
      assert.equal(seen['Behind it'], shown(group.waiting));
    }
  }),

  'routes show their breakers, suppressions their addresses, accounts their codes': () => here(async (page) => {
    await open(page, '/routes');
    for (const route of (await world.api.get('/breakers')).data) assert.equal((await row(page, routeId(route))).state, route.state);
    await open(page, '/suppressions');
    const list = (await world.api.get('/suppressions?limit=50')).data;
    assert.deepEqual(await rowIds(page), list.map((one) => `${one.clientId} ${one.address}`));
    await open(page, '/accounts');
    const accounts = (await world.api.get('/service-accounts')).data;
    assert.deepEqual(await rowIds(page), accounts.map((one) => one.id));
  }),

  'the audit log shows who did what, newest first': () => here(async (page) => {
    await open(page, '/audit');
    const {data} = await world.api.get('/audit?limit=50');
    assert.deepEqual(await rowIds(page), data.map((one) => one.id));
    assert.equal((await row(page, data[0].id)).Action, data[0].action);
  }),

  'a path that is no screen says so and leads home': () => here(async (page) => {
    await open(page, '/nowhere');
    await page.getByRole('link', {name: 'To the overview'}).click();
    await page.locator('[data-live=live]').waitFor();
    assert.equal(new URL(page.url()).pathname, '/console');
  }),

  'help opens by its button and closes by Escape': () => here(async (page) => {
    await open(page, '/pools');
    await page.getByRole('button', {name: 'Keys and search'}).click();
    await sees(page, 'The search box understands');
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({state: 'detached'});
    await page.getByRole('button', {name: 'New pool'}).click();
    await answer(page, 'Cancel');
  }),
};
