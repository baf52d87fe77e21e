// Fills a server through its API, a thousand at a time, with mails and webhook jobs in every state: sent, failed for each reason,
// retrying, scheduled, cancelled, a paused pool with a queue, blocked groups, a host whose breaker is open. Sized by
// EILBOTE_TEST_SCALE (1: 200,000), bounded in time. Every tenth is `us`, every fiftieth goes to ada@example.org: for searches.
import {until} from './api.mjs';

const ALL = 200_000;
const BATCH = 1000;
const AT_ONCE = 2;
const SETTLES_WITHIN_MILLIS = 240_000;
const DAY_MILLIS = 86_400_000;

export const jobCount = () => Math.round(ALL * Number(process.env.EILBOTE_TEST_SCALE || 1));

const HELD = 'held';      // the paused pool
const NEVER = {strategy: 'fixed', delaySeconds: 86_400};

// Share of a thousand, and what is particular about it.
const MAILS = [
  [270, () => ({})],
  [200, (n) => ({scheduledFor: new Date(Date.now() + DAY_MILLIS + n * 1000).toISOString()})],
  [120, () => ({pool: HELD})],
  [30, () => ({fault: '+permanent'})],
  [20, () => ({fault: '+transient', retry: {maxAttempts: 1}})],
  [25, () => ({fault: '+transient', retry: {...NEVER, maxAttempts: 5}})],
  [5, () => ({fault: '+lost', onUncertain: 'hold'})],
  [10, () => ({pool: HELD, expiresAt: new Date(Date.now() + 5000).toISOString()})],
];
const JOBS = [
  [140, (n, sink) => ({targetUrl: `${sink.hosts.good}/200/orders`})],
  [100, (n, sink) => ({targetUrl: `${sink.hosts.good}/200/orders`, scheduledFor: new Date(Date.now() + DAY_MILLIS + n * 1000).toISOString()})],
  [40, (n, sink) => ({targetUrl: `${sink.hosts.good}/200/orders`, dispatchPoolId: HELD})],
  [25, (n, sink) => ({targetUrl: `${sink.hosts.good}/404/gone`})],
  [15, (n, sink) => ({targetUrl: `${sink.hosts.good}/429/later`, maxRetries: 9})],
];

function mailOf(n, {fault = '', ...more}) {
  const who = n % 50 === 0 ? 'ada' : `person${n % 997}`;
  return {from: 'shop@example.org', to: [`${who}${fault}@example.org`], subject: `Order ${n}`, body: {text: `Order ${n} is on its way.`},
    tags: ['invoice', n % 10 ? 'eu' : 'us'], campaignId: `spring-${n % 7}`, metadata: {order: String(n)}, ...more};
}

function jobOf(n, more) {
  return {source: 'shop-api', code: 'shop:orders:order:created', payload: `{"orderId":${n},"total":12345678901234567890.10}`,
    externalId: `ext-${n}`, correlationId: `corr-${n % 1000}`, metadata: {order: String(n), customer: `cust_${n % 97}`}, ...more};
}

// Every batch has all kinds of its sort, in turn: each page of a list is mixed.
function kindsOf(table) {
  const kinds = table.flatMap(([share, make]) => Array.from({length: share}, (_, at) => ({at: at / share, make})));
  return kinds.sort((a, b) => a.at - b.at).map(({make}) => make);
}

async function inBatches(total, make, send) {
  let next = 0;
  const work = async () => {
    while (next < total) {
      const first = next;
      next = Math.min(total, next + BATCH);
      await send(Array.from({length: next - first}, (_, at) => make(first + at)));
    }
  };
  await Promise.all(Array.from({length: AT_ONCE}, work));
}

async function blockGroups(api, sink, groups) {
  const jobs = [];
  for (let group = 0; group < groups; ++group) {
    const more = {mode: 'BLOCK_ON_ERROR', messageGroup: `order-${group}`};
    jobs.push(jobOf(group, {...more, targetUrl: `${sink.hosts.good}/404/first`}));
    for (let behind = 0; behind < 4; ++behind) jobs.push(jobOf(group, {...more, targetUrl: `${sink.hosts.good}/200/behind`}));
  }
  await api.jobs(jobs);
}

async function openBreaker(api, sink) {
  const bad = (n) => jobOf(n, {targetUrl: `${sink.hosts.bad}/500/orders`, maxRetries: 9, source: 'broken-host'});
  await api.jobs(Array.from({length: 60}, (_, n) => bad(n)));
}

async function cancelAndGiveUp(api, count) {
  const soon = (n) => mailOf(n, {scheduledFor: new Date(Date.now() + DAY_MILLIS).toISOString(), tags: ['withdrawn']});
  const ids = await api.mails(Array.from({length: 2 * count}, (_, n) => soon(n)));
  for (const [at, id] of ids.entries()) await (at % 2 ? api.delete(`/messages/${id}`) : api.post(`/messages/${id}/abandon`));
}

/** Returns what was made, and how long it took. */
export async function seed(api, sink, total = jobCount()) {
  const began = Date.now();
  await api.post('/dispatch-pools', {code: HELD, name: 'Held back', rateLimitPerMinute: 600, burst: 10, concurrency: 20});
  await api.post(`/dispatch-pools/${HELD}/suspend`);
  await api.post('/dispatch-pools', {code: 'slow', rateLimitPerMinute: 6});
  for (let n = 0; n < 3; ++n) await api.post('/service-accounts', {code: `acme-${n}`, name: `Orders of Acme ${n}`, clientIds: n ? ['shop', 'billing'] : []});
  for (let n = 0; n < 60; ++n) await api.post('/suppressions', {address: `gone${n}@example.org`, reason: 'asked not to be written to'});
  await cancelAndGiveUp(api, 30);
  await blockGroups(api, sink, 20);
  await openBreaker(api, sink);
  const mailKinds = kindsOf(MAILS), jobKinds = kindsOf(JOBS);
  const jobs = Math.round(total * 0.32), mails = total - jobs;
  await inBatches(mails, (n) => mailOf(n, mailKinds[n % mailKinds.length](n)), (batch) => api.mails(batch));
  await inBatches(jobs, (n) => jobOf(n, jobKinds[n % jobKinds.length](n, sink)), (batch) => api.jobs(batch));
  const accepted = Date.now() - began;
  await settled(api);
  return {total, acceptedMillis: accepted, settledMillis: Date.now() - began};
}

// Nothing but the paused pool and the shut host has work that is due.
async function settled(api) {
  await until('the seeded jobs come to rest', async () => {
    const {data} = await api.get('/queue');
    return data.every(({pool, due}) => pool === HELD || Object.values(due).reduce((sum, n) => sum + n, 0) <= 60);
  }, SETTLES_WITHIN_MILLIS);
}
