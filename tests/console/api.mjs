// The server's API as the tests ask it beside the page: what the page shows and does is compared with these answers.

export class Api {
  constructor(url, token) {
    this.url = url;
    this.token = token;
  }

  async call(method, path, body) {
    const headers = {};
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (this.token) headers.authorization = `Bearer ${this.token}`;
    const response = await fetch(this.url + path, {method, headers, body: body === undefined ? undefined : JSON.stringify(body)});
    const text = await response.text();
    let answer = null;
    try { answer = text ? JSON.parse(text) : null; } catch { answer = text; }
    return {status: response.status, answer, headers: response.headers};
  }

  /** Throws unless it is answered with 2xx. */
  async get(path) { return this.#good('GET', path); }
  async post(path, body) { return this.#good('POST', path, body); }
  async delete(path) { return this.#good('DELETE', path); }

  async #good(method, path, body) {
    const {status, answer} = await this.call(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
    return answer;
  }

  /** Many mails or jobs in one call; throws when one of them is refused. Returns their ids, in order. */
  async mails(messages) { return idsOf(await this.#patiently('/messages/batch', {messages})); }
  async jobs(jobs) { return idsOf(await this.#patiently('/dispatch-jobs/batch', {jobs})); }

  // 429 means that nothing was taken.
  async #patiently(path, body) {
    for (;;) {
      const {status, answer} = await this.call('POST', path, body);
      if (status === 429) { await pause(500); continue; }
      if (status >= 300) throw new Error(`POST ${path}: ${status} ${JSON.stringify(answer).slice(0, 500)}`);
      return answer;
    }
  }

  /** So many of a list at least, or all there are: a page may be short, even empty, while there is more. */
  async list(path, count) {
    const found = [];
    for (let cursor = ''; found.length < count;) {
      const {data, nextCursor} = await this.get(`${path}${path.includes('?') ? '&' : '?'}limit=50${cursor}`);
      found.push(...data);
      if (!nextCursor) break;
      cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
    }
    if (found.length === 0) throw new Error(`nothing is found by ${path}`);
    return found;
  }

  /** The newest entries of the audit log about something. */
  async audit(target, action) {
    const query = new URLSearchParams({target, ...(action ? {action} : {})});
    return (await this.get(`/audit?${query}`)).data;
  }
}

function idsOf({results}) {
  const bad = results.find((one) => one.status >= 300);
  if (bad) throw new Error(`refused in a batch: ${JSON.stringify(bad).slice(0, 500)}`);
  return results.map((one) => one.messageId ?? one.id ?? one.job?.id);
}

export const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

/** Asks until the answer is truthy; throws with `what` when it takes too long. */
export async function until(what, ask, millis = 15_000) {
  const end = Date.now() + millis;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`not within ${millis} ms: ${what}`);
    await pause(100);
  }
}
