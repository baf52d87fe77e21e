// Finding things among 200,000: the search box, filters that live in the address, and pages that neither repeat nor leave out.
import assert from 'node:assert/strict';
import {until} from '../api.mjs';
import {withPage} from '../browser.mjs';
import {loaded, open, rowIds, search, sees, waitForPath} from '../page.mjs';
import {world} from '../world.mjs';

const here = (use) => withPage({origin: world.server.url}, use);
const ids = (answered) => answered.data.map((one) => one.messageId ?? one.id);
const first = async (path) => (await world.api.list(path, 1))[0];

const gathered = async (query) => (await world.api.list(`/messages?${query}`, 250)).map((one) => one.messageId);

const shows = (page, want) => until('the filtered list', async () => {
  const rows = await rowIds(page);
  return rows.length >= Math.min(50, want.length) && rows.join() === want.slice(0, rows.length).join();
});

async function findsList(page, typed, path, api) {
  await search(page, typed);
  await waitForPath(page, path);
  await loaded(page);
  const want = (await world.api.list(api, 250)).map((one) => one.messageId ?? one.id);
  await shows(page, want);
}

/** Walks over pages by a button and returns the ids of each. */
async function walk(page, button, pages) {
  const seen = [];
  for (let n = 0; n < pages; ++n) {
    const before = await rowIds(page);
    await page.locator('.pager').getByRole(button === 'Newer' ? 'button' : 'link', {name: button}).click();
    await until('another page', async () => (await rowIds(page)).join() !== before.join() && (await rowIds(page)).length > 0);
    await loaded(page);
    seen.push(await rowIds(page));
  }
  return seen;
}

export const cases = {
  'an id leads to its mail or job, however it is written': () => here(async (page) => {
    const {messageId} = await first('/messages');
    const {id} = await first('/dispatch-jobs');
    await open(page, '/pools');
    await search(page, ` ${messageId.toLowerCase()} `);
    await waitForPath(page, new RegExp(`^/console/messages/${messageId}$`));
    await loaded(page);
    await search(page, messageId);
    await waitForPath(page, new RegExp(`^/console/messages/${messageId}$`));
  }),

  'an id of a job is found from the mails, after a look among mails': () => here(async (page, watch) => {
    const {id} = await first('/dispatch-jobs');
    await open(page, '/messages');
    watch.expectStatus(404, new RegExp(`/messages/${id}`));
    await search(page, id);
    await waitForPath(page, new RegExp(`^/console/jobs/${id}$`));
  }),

  'an id that nobody has is said to be unknown': () => here(async (page, watch) => {
    watch.expectStatus(404, /0ZZZZZZZZZZZZ/);
    await open(page, '/messages');
    await search(page, '0ZZZZZZZZZZZZ');
    await sees(page, 'There is no mail and no job with the id 0ZZZZZZZZZZZZ.');
  }),

  'a recipient, a tag, a campaign, metadata and an external id are found': () => here(async (page) => {
    const job = await first('/dispatch-jobs?status=COMPLETED');
    await open(page, '/messages');
    await findsList(page, 'ada@example.org', /recipient=ada@example.org/, '/messages?recipient=ada@example.org');
    await findsList(page, 'us', /tag=us/, '/messages?tag=us');
    await findsList(page, 'campaign:spring-3', /campaignId=spring-3/, '/messages?campaignId=spring-3');
    await findsList(page, 'order=17', /messages\?metadata\.order=17/, '/messages?metadata.order=17');
    await page.getByRole('link', {name: 'The same among webhook jobs'}).click();
    await waitForPath(page, /jobs\?metadata\.order=17/);
    await open(page, '/messages');
    await findsList(page, 'customer=cust_5', /jobs\?metadata\.customer=cust_5/, '/dispatch-jobs?metadata.customer=cust_5');
    await findsList(page, job.externalId, /externalId=/, `/dispatch-jobs?externalId=${job.externalId}`);
    await findsList(page, 'corr:corr-7', /correlationId=corr-7/, '/dispatch-jobs?correlationId=corr-7');
  }),

  'filters are in the address, and survive a reload and the ways back and forth': () => here(async (page) => {
    await open(page, '/messages');
    await page.locator('select[name=status]').selectOption('FAILED');
    await waitForPath(page, /status=FAILED/);
    await page.locator('input[name=tag]').fill('us');
    await page.keyboard.press('Enter');
    await waitForPath(page, /tag=us/);
    const both = await gathered('status=FAILED&tag=us');
    await shows(page, both);
    await page.reload();
    await shows(page, both);
    assert.equal(await page.locator('select[name=status]').inputValue(), 'FAILED');
    assert.equal(await page.locator('input[name=tag]').inputValue(), 'us');
    await page.goBack();
    await shows(page, await gathered('status=FAILED'));
    assert.equal(await page.locator('input[name=tag]').inputValue(), '');
    await page.goForward();
    await shows(page, both);
    await page.getByRole('link', {name: 'Remove filter: Status: Failed'}).click();
    await shows(page, await gathered('tag=us'));
  }),

  'metadata and times can be filtered by, in the reader\'s zone': () => here(async (page) => {
    await open(page, '/jobs');
    await page.getByText('More filters').click();
    await page.locator('input[name=metadata]').fill('customer=cust_9');
    await page.keyboard.press('Enter');
    await waitForPath(page, /metadata\.customer=cust_9/);
    await page.locator('input[name=createdBefore]').fill('2020-06-01T12:00');
    await page.locator('input[name=createdBefore]').blur();
    await waitForPath(page, /createdBefore=2020-06-01T10:00:00.000Z/);  // Berlin in summer
    await sees(page, 'Nothing matches these filters.');
  }),

  'thousands of mails are paged through without a repetition, and back again': () => here(async (page) => {
    await open(page, '/messages');
    const start = await rowIds(page);
    const forth = await walk(page, 'Older', 25);
    const all = [start, ...forth].flat();
    assert.equal(new Set(all).size, all.length, 'a row came twice');
    assert.deepEqual(all, [...all].sort().reverse(), 'not newest first');
    assert.ok(all.length >= 26 * 50);
    let cursor = '', api = [];
    while (api.length < all.length) {
      const answered = await world.api.get(`/messages?limit=200${cursor}`);
      api.push(...ids(answered));
      cursor = `&cursor=${encodeURIComponent(answered.nextCursor)}`;
    }
    assert.deepEqual(all, api.slice(0, all.length), 'a row was left out');
    const back = await walk(page, 'Newer', 5);
    assert.deepEqual(back, forth.slice(-6, -1).reverse());
    await page.getByRole('link', {name: 'First page'}).click();
    await until('the first page', async () => (await rowIds(page)).join() === start.join());
  }),

  'a page that somebody sends as a link shows the same rows': () => here(async (page) => {
    await open(page, '/messages?status=SENT');
    const [second] = await walk(page, 'Older', 1);
    const url = page.url();
    await page.goto('about:blank');
    await page.goto(url);
    await loaded(page);
    assert.deepEqual(await rowIds(page), second);
  }),
};
