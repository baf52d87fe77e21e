// What protects the page and those who use it: headers, no cookies, no way for another site to act through a browser.
import assert from 'node:assert/strict';
import http from 'node:http';
import {withPage} from '../browser.mjs';
import {freePort} from '../serve.mjs';
import {world} from '../world.mjs';

const POLICY = ["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'", "base-uri 'none'",
  "form-action 'none'", "frame-ancestors 'none'"];
const PATHS = ['/console', '/console/messages', '/console/messages/0PXKQ8ZT3M001', '/console/app.js', '/console/app.css', '/console/icon.svg'];

/** Another site's page that posts a form to us as soon as it is opened. */
async function withAttacker(html, use) {
  const port = await freePort();
  const server = http.createServer((request, response) =>
    request.url === '/favicon.ico' ? response.writeHead(204).end() : response.setHeader('Content-Type', 'text/html').end(html));
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

export const cases = {
  'every file of the page comes with the policy and the other headers, and without a cookie': async () => {
    for (const path of PATHS) {
      const response = await fetch(world.server.url + path);
      assert.equal(response.status, 200, path);
      const policy = response.headers.get('content-security-policy').split(';').map((one) => one.trim()).filter(Boolean);
      assert.deepEqual(policy.sort(), [...POLICY].sort(), path);
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
      assert.equal(response.headers.get('cross-origin-opener-policy'), 'same-origin');
      assert.equal(response.headers.get('set-cookie'), null);
    }
  },

  'files with a version are kept for ever, the page is asked for again': async () => {
    const page = await fetch(`${world.server.url}/console`);
    assert.match(page.headers.get('cache-control'), /no-cache/);
    const files = [...(await page.text()).matchAll(/"(\/console\/[\w.]+\?v=\w+)"/g)].map((one) => one[1]);
    assert.ok(files.length >= 2, files.join());
    for (const file of files) assert.match((await fetch(world.server.url + file)).headers.get('cache-control'), /immutable/);
    const plain = await fetch(`${world.server.url}/console/app.js`);
    assert.match(plain.headers.get('cache-control'), /no-cache/);
    const again = await fetch(`${world.server.url}/console/app.js`, {headers: {'if-none-match': plain.headers.get('etag')}});
    assert.equal(again.status, 304);
  },

  'a form of another site with JSON as plain text is refused': () => withAttacker(
    `<form method=post enctype=text/plain action="${world.server.url}/dispatch-pools"><input name='{"code":"evil","name":"' value='x"}'></form>
     <script>document.forms[0].submit()</script>`,
    (origin) => withPage({origin, elsewhere: [world.server.url]}, async (page, watch) => {
      watch.expectStatus(400, /dispatch-pools/);
      watch.expectStatus(404, /favicon.ico/);  // of the answer itself
      const answered = page.waitForResponse(/dispatch-pools/);
      await page.goto(origin);
      assert.equal((await answered).status(), 400);
      assert.equal((await world.api.call('GET', '/dispatch-pools/evil')).status, 404);
    })),

  'a form of another site to an act without a body does nothing': () => withAttacker(
    `<form method=post action="${world.server.url}/dispatch-pools/slow/suspend"></form><script>document.forms[0].submit()</script>`,
    (origin) => withPage({origin, elsewhere: [world.server.url]}, async (page, watch) => {
      watch.expectStatus(400, /suspend/);
      watch.expectStatus(404, /favicon.ico/);  // of the answer itself
      const answered = page.waitForResponse(/suspend/);
      await page.goto(origin);
      const status = (await answered).status();
      assert.equal(status, 400);
      const pool = await world.api.get('/dispatch-pools/slow');
      if (pool.status !== 'ACTIVE') await world.api.post('/dispatch-pools/slow/activate');
      assert.equal(pool.status, 'ACTIVE', `another site paused a pool (answered ${status})`);
    })),

  'a script of another site may not read the API, nor send JSON to it': () => withAttacker('<title>elsewhere</title>',
    (origin) => withPage({origin, elsewhere: [world.server.url]}, async (page, watch) => {
      await page.goto(origin);
      const outcomes = await page.evaluate(async (url) => {
        const tried = async (path, options) => fetch(url + path, options).then(() => 'answered', () => 'refused');
        return [await tried('/overview'), await tried('/dispatch-pools', {method: 'POST', headers: {'content-type': 'application/json'}, body: '{"code":"evil"}'})];
      }, world.server.url);
      assert.deepEqual(outcomes, ['refused', 'refused']);
      assert.equal((await world.api.call('GET', '/dispatch-pools/evil')).status, 404);
      watch.faults = watch.faults.filter((one) => !/blocked by CORS policy|ERR_FAILED|status of 4\d\d/.test(one));  // the browser's own lines about it
    })),
};
