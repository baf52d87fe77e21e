// A table of texts that would be code if the page took them for it, in every field that a client or an endpoint can fill: each is
// shown as text on lists and details, none runs, none becomes an element or a link.
import assert from 'node:assert/strict';
import {Api, until} from '../api.mjs';
import {withPage} from '../browser.mjs';
import {loaded, open, sees} from '../page.mjs';
import {Server} from '../serve.mjs';
import {kept, world} from '../world.mjs';

const TEXTS = {
  script: '<script>window.__xss=1;alert(1)</script>',
  image: '<img src=x onerror="window.__xss=1;alert(2)">',
  vector: '<svg/onload=window.__xss=1>',
  frame: '<iframe srcdoc="<script>parent.__xss=1</script>"></iframe>',
  link: 'javascript:window.__xss=1//',
  anchor: '<a href="javascript:window.__xss=1">click</a>',
  template: "{{constructor.constructor('window.__xss=1')()}} ${window.__xss=1}",
  quotes: '"\' autofocus onfocus=window.__xss=1 x="',
  breakout: '</textarea></title></style><script>window.__xss=1</script>',
  entities: '&lt;script&gt;window.__xss=1&lt;/script&gt;&#x3c;b&#x3e;',
  rtl: 'photo_\u202Egpj.exe\u2066\u200B',
  nullish: 'null undefined NaN __proto__ [object Object]',
  long: 'W'.repeat(200),
};

const mail = (text, more) => ({from: {email: 'shop@example.org', name: text}, to: [{email: 'xss+permanent@example.org', name: text}], subject: text,
  body: {text: `text ${text}`, html: `<p>${text}</p>`}, replyTo: [{email: 'r@example.org', name: text}], headers: {'X-Note': text},
  metadata: {[text]: text}, tags: [text], campaignId: text, group: text,
  attachments: [{name: `${text}.txt`, contentType: 'text/plain', content: 'eA'}], ...more});
const job = (text) => ({source: text, code: text, subject: text, externalId: text, correlationId: text, eventId: text, subscriptionId: text,
  metadata: {[text]: text, note: text}, messageGroup: text, mode: 'BLOCK_ON_ERROR', idempotencyKey: `key ${text}`, headers: {'X-Note': text},
  payload: JSON.stringify({[text]: text}), targetUrl: `${world.sink.hosts.good}/404/x?body=${encodeURIComponent(text)}`});

/** Posts it; fields that the API refuses are left out, so that the page meets all that can get into the database. */
async function postWhatIsTaken(api, path, body) {
  const left = {...body}, refused = [];
  for (;;) {
    const {status, answer} = await api.call('POST', path, left);
    if (status < 300) return {answer, refused, taken: left};
    const names = new Set((answer.errors ?? []).map((one) => one.pointer.split('/')[1]).filter((name) => name in left));
    assert.ok(names.size > 0, `${path}: ${status} ${JSON.stringify(answer)}`);
    for (const name of names) {
      refused.push(name);
      if (name === 'from' || name === 'to') left[name] = name === 'to' ? ['xss+permanent@example.org'] : 'shop@example.org';
      else if (name === 'code') left.code = `code-${refused.length}`;
      else if (name === 'source') left.source = 'source';
      else if (name === 'messageGroup') { delete left.messageGroup; delete left.mode; }
      else delete left[name];
    }
  }
}

let filled;
function place() {
  filled ??= (async () => {
    const server = await kept(new Server().start());
    const api = new Api(server.url);
    const made = [];
    for (const [name, text] of Object.entries(TEXTS)) {
      const message = await postWhatIsTaken(api, '/messages', mail(text));
      const hook = await postWhatIsTaken(api, '/dispatch-jobs', job(text));
      const pool = await postWhatIsTaken(api, '/dispatch-pools', {code: `pool-${name}`, name: text.slice(0, 100)});
      const account = await postWhatIsTaken(api, '/service-accounts', {code: `acc-${name}`, name: text.slice(0, 100), description: text, clientIds: [text.slice(0, 100)]});
      const none = await postWhatIsTaken(api, '/suppressions', {address: `${name}@example.org`, reason: text});
      made.push({name, text, message, hook, pool, account, none});
    }
    await until('all came to an end', async () => (await api.get('/messages?status=FAILED&limit=200')).data.length >= made.length);
    await until('all jobs are dead', async () => (await api.get('/dispatch-jobs?deadReason=PermanentFailure&limit=200')).data.length >= made.length);
    return {server, api, made};
  })();
  return filled;
}

/** What the page has beyond text: nothing of it may come from what was stored. */
async function staysText(page) {
  const found = await page.evaluate(() => ({
    ran: window.__xss, title: document.title.includes('<'),
    elements: document.querySelectorAll('main img, main iframe, main script, main style, main object, main embed, [onerror], [onload], [onfocus], [srcdoc]').length,
    links: [...document.querySelectorAll('[href], [src], [action]')].filter((one) => /^\s*javascript:/i.test(one.getAttribute('href') ?? one.getAttribute('src') ?? '')).length,
  }));
  assert.deepEqual(found, {ran: undefined, title: false, elements: 0, links: 0});
}

const textOf = (page) => page.locator('main').evaluate((main) => main.textContent);

async function shows(page, text, what) {
  assert.ok((await textOf(page)).includes(text), `${what} is not shown as it is: ${text.slice(0, 60)}`);
}

async function here(use) {
  const {server, api, made} = await place();
  await withPage({origin: server.url}, (page, watch) => use(page, {api, made, watch}));
}

export const cases = {
  'lists show what was stored as text': (t) => here(async (page, {made}) => {
    t.diagnostic(`refused by the API: ${[...new Set(made.flatMap((one) => [...one.message.refused, ...one.hook.refused, ...one.pool.refused,
      ...one.account.refused, ...one.none.refused].map((field) => `${field} (${one.name})`)))].join(', ') || 'nothing'}`);
    const lists = {'/jobs': ['hook', 'externalId'], '/dead?channel=webhook': ['hook', 'externalId'], '/pools': ['pool', 'name'],
      '/accounts': ['account', 'name'], '/suppressions': ['none', 'reason'], '/groups': ['hook', 'messageGroup']};
    for (const [path, [what, field]] of Object.entries(lists)) {
      await open(page, path);
      for (const one of made) {
        const text = one[what].taken[field];
        if (text !== undefined) await shows(page, text, `${field} on ${path}`);
      }
      await staysText(page);
    }
    for (const path of ['', '/messages', '/dead', '/routes', '/audit']) {
      await open(page, path);
      await staysText(page);
    }
  }),

  'the detail of a mail shows its content as text': () => here(async (page, {made}) => {
    for (const {text, message} of made) {
      await open(page, `/messages/${message.answer.messageId}`);
      await page.getByRole('button', {name: 'Show content (this is recorded)'}).click();
      await sees(page, 'HTML, as source');
      await shows(page, `text ${text}`, 'the text');
      await shows(page, `<p>${text}</p>`, 'the HTML');
      if (message.taken.subject) await shows(page, message.taken.subject, 'the subject');
      if (message.taken.headers) await shows(page, `X-Note: ${text}`, 'a header');
      if (message.taken.attachments) await shows(page, `${text}.txt`, 'an attachment\'s name');
      await staysText(page);
    }
  }),

  'the detail of a job shows its fields, its payload and its endpoint\'s answer as text': () => here(async (page, {api, made}) => {
    for (const {text, hook} of made) {
      const id = hook.answer.id;
      await open(page, `/jobs/${id}`);
      for (const field of ['source', 'subject', 'externalId', 'correlationId', 'eventId', 'subscriptionId', 'messageGroup', 'idempotencyKey']) {
        if (hook.taken[field]) await shows(page, hook.taken[field], field);
      }
      if (hook.taken.metadata) await shows(page, `Metadata ${text}`, 'a key of the metadata');
      await page.getByRole('button', {name: 'Show headers and payload'}).click();
      await shows(page, JSON.stringify(text), 'the payload');
      const [attempt] = (await api.get(`/dispatch-jobs/${id}/attempts`)).data;
      assert.equal(attempt.responseBody, text);
      await shows(page, text, 'the answer');
      await page.getByText('Response body').click();
      await staysText(page);
    }
  }),

  'what stands in the address is text too': () => here(async (page) => {
    for (const text of Object.values(TEXTS)) {
      await open(page, `/jobs?externalId=${encodeURIComponent(text)}&metadata.note=${encodeURIComponent(text)}&source=${encodeURIComponent(text)}`);
      await staysText(page);
    }
    await page.goto(`/console/${encodeURIComponent(TEXTS.image)}`);
    await loaded(page);
    await staysText(page);
  }),

  'what is searched for is text too, and leads nowhere else': () => here(async (page, {watch}) => {
    watch.expectStatus(400, /./);
    await open(page, '/messages');
    for (const text of [TEXTS.script, TEXTS.link, TEXTS.anchor, TEXTS.quotes]) {
      await page.locator('#search').fill(text);
      await page.locator('#search').press('Enter');
      await loaded(page);
      await staysText(page);
    }
  }),
};
