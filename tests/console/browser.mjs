// Debian's Chromium, one at a time, and pages that are watched: a console line, an exception, a breach of the content security
// policy, a dialog of the browser or a request to elsewhere fails the test, unless the test said beforehand that it expects it.
import assert from 'node:assert/strict';
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {chromium} from 'playwright-core';

export const CHROMIUM = process.env.EILBOTE_TEST_CHROMIUM || '/usr/bin/chromium';
export const SCREENS = process.env.EILBOTE_TEST_SCREENS || new URL('../../build/console-screens', import.meta.url).pathname;
const WAITS_MILLIS = 15_000;
const REASONS = {400: 'Bad Request', 401: 'Unauthorized', 403: 'Forbidden', 404: 'Not Found', 409: 'Conflict', 410: 'Gone', 415: 'Unsupported Media Type',
  500: 'Internal Server Error', 503: 'Service Unavailable'};

let browser;

export async function launchBrowser() {
  mkdirSync(SCREENS, {recursive: true});
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update',
      '--disable-sync', '--no-first-run', '--disable-quic'],
  });
}

export async function closeBrowser() {
  await browser?.close();
}

/** What a page did that it should not have done. */
class Watch {
  faults = [];
  #expected = [];
  #origins;

  constructor(origins) {
    this.#origins = new Set(origins);
  }

  /** The browser writes a line of its own for each answer that is an error; here it may, for paths that match. */
  expectStatus(status, path) {
    this.#expected.push({text: `Failed to load resource: the server responded with a status of ${status} (${REASONS[status]})`, path});
  }

  /** The same for a server that is away. */
  expectAway() {
    for (const why of ['CONNECTION_REFUSED', 'INCOMPLETE_CHUNKED_ENCODING', 'CONNECTION_RESET', 'EMPTY_RESPONSE', 'INTERNET_DISCONNECTED', 'NETWORK_CHANGED']) {
      this.#expected.push({text: `Failed to load resource: net::ERR_${why}`, path: /./});
    }
  }

  follow(page) {
    page.on('console', (line) => {
      if (line.type() !== 'error' && line.type() !== 'warning') return;
      const url = line.location().url;
      if (!this.#expected.some(({text, path}) => text === line.text() && path.test(url))) this.faults.push(`${line.type()}: ${line.text()} ${url}`);
    });
    page.on('pageerror', (error) => this.faults.push(`exception: ${error.stack}`));
    page.on('dialog', (dialog) => { this.faults.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (/^https?:$/.test(url.protocol) && !this.#origins.has(url.origin)) this.faults.push(`request to elsewhere: ${url}`);
    });
  }

  check() {
    assert.deepEqual(this.faults, []);
  }
}

let pictures = 0;

/**
 * Opens a page, lets `use(page, watch)` work with it, and checks that nothing went wrong on the way.
 * `origin` is the server's; `elsewhere` are other origins it may ask (the issuer).
 */
export async function withPage({origin, elsewhere = [], width = 1360, height = 900, scheme = 'light', locale = 'en-GB'}, use) {
  const context = await browser.newContext({viewport: {width, height}, colorScheme: scheme, locale, timezoneId: 'Europe/Berlin',
    baseURL: origin, reducedMotion: 'reduce', permissions: ['clipboard-read', 'clipboard-write']});
  const watch = new Watch([origin, ...elsewhere]);
  await context.exposeBinding('__violation', (source, what) => { watch.faults.push(`content security policy: ${what}`); });
  await context.addInitScript(() => document.addEventListener('securitypolicyviolation', (event) =>
    window.__violation(`${event.violatedDirective} ${event.blockedURI} on ${location.pathname}`)));
  const page = await context.newPage();
  page.setDefaultTimeout(WAITS_MILLIS);
  watch.follow(page);
  try {
    await use(page, watch);
    watch.check();
  } catch (error) {
    const file = join(SCREENS, `failed-${++pictures}.png`);
    await page.screenshot({path: file}).catch(() => undefined);
    if (watch.faults.length) error.message += `\nthe page: ${watch.faults.join('\n')}`;
    error.message += `\nat ${page.url()}, seen in ${file}`;
    throw error;
  } finally {
    await context.close();
  }
}
