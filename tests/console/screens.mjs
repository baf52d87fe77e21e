// Every screen and every dialog of the console, by a name, with how to get there: for those that look at all of them.
import {open} from './page.mjs';
import {world} from './world.mjs';

const first = async (path) => (await world.api.list(path, 1))[0];
const at = (path) => (page) => open(page, path);
const mailWith = (query) => async (page) => open(page, `/messages/${(await first(`/messages?${query}`)).messageId}`);
const jobWith = (query) => async (page) => open(page, `/jobs/${(await first(`/dispatch-jobs?${query}`)).id}`);
const press = (path, name) => async (page) => {
  await open(page, path);
  await page.locator('main').getByRole('button', {name}).first().click();
  await page.locator('dialog[open]').waitFor();
};

export const SCREENS = {
  overview: async (page) => {
    await open(page, '');
    await page.locator('[data-live=live]').waitFor();
  },
  mails: at('/messages'),
  'mails-none': at('/messages?tag=nobody-has-this'),
  'mail-sent': mailWith('status=SENT'),
  'mail-content': async (page) => {
    await mailWith('status=SENT')(page);
    await page.locator('[aria-labelledby=content] button').first().click();
    await page.locator('[aria-labelledby=content] .text-block').first().waitFor();
  },
  'mail-failed': mailWith('status=FAILED'),
  'mail-retrying': mailWith('status=RETRY_PENDING'),
  jobs: at('/jobs'),
  'jobs-filtered': at('/jobs?status=COMPLETED&metadata.customer=cust_5&createdAfter=2026-01-01T00:00:00.000Z'),
  'job-dead': jobWith('deadReason=PermanentFailure'),
  'job-payload': async (page) => {
    await jobWith('status=COMPLETED')(page);
    await page.locator('[aria-labelledby=request] button').first().click();
    await page.locator('[aria-labelledby=request] .text-block').first().waitFor();
  },
  dead: at('/dead'),
  'dead-jobs': at('/dead?channel=webhook'),
  'dead-retrying': at('/dead?channel=retrying'),
  pools: at('/pools'),
  groups: at('/groups'),
  routes: at('/routes'),
  suppressions: at('/suppressions'),
  accounts: at('/accounts'),
  audit: at('/audit'),
  'no-such-screen': at('/nowhere'),
  selected: async (page) => {
    await open(page, '/messages?status=RETRY_PENDING');
    for (const n of [0, 1, 2]) await page.locator('[data-select]').nth(n).check();
  },
};

export const DIALOGS = {
  help: async (page) => {
    await open(page, '/pools');
    await page.keyboard.press('?');
    await page.locator('dialog[open]').waitFor();
  },
  'ask-retry': async (page) => {
    await mailWith('status=FAILED')(page);
    await page.locator('main .primary').first().click();
    await page.locator('dialog[open]').waitFor();
  },
  'ask-requeue': async (page) => {
    await open(page, '/dead');
    await page.locator('.requeue-all button').click();
    await page.locator('dialog[open]').waitFor();
  },
  'new-pool': press('/pools', /New pool|Neuer Pool/),
  'edit-pool': press('/pools', /Edit pool slow|slow.*(ändern|bearbeiten)/i),
  'pause-pool': press('/pools', /Pause pool slow|slow.*anhalten/i),
  'skip-group': press('/groups', /Skip the job|überspringen/i),
  'new-suppression': press('/suppressions', /Suppress an address|Adresse sperren|sperren/i),
  'remove-suppression': press('/suppressions', /^Remove |entfernen$/),
  'new-account': press('/accounts', /New service account|Neues? /),
  'secrets-once': async (page) => {
    await open(page, '/accounts');
    await page.getByRole('button', {name: /(New secret|Neuer Schlüssel) (for|für) acme-0$/}).click();
    await page.locator('dialog[open] .danger, dialog[open] .primary').last().click();
    await page.locator('dialog .secret').waitFor();
  },
};

/** Drawn with its new size and colours. */
export async function still(page) {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}
