// What the peers of ./dev bench have in common: the delivery of a job, and the conversation with bench/node_peer.py, which
// starts them: a line on standard output when the queue is full, a line on standard input to begin, a line with the result.
//   node drain_PEER.js STORE_URL TARGET_URL PAYLOAD JOBS WARM_UP
'use strict';
const readline = require('node:readline');
const { Agent, request } = require('undici');

const CONCURRENT = 64;
const JOBS_PER_CALL = 2000;

const makeAgent = () => new Agent({ connections: CONCURRENT, keepAliveTimeout: 300_000, keepAliveMaxTimeout: 600_000 });

// One drain's tasks: when the first began, how many are done, how many were refused.
class Round {
  constructor(expected, agent, url) {
    Object.assign(this, { expected, agent, url });
    this.done = 0;
    this.failed = 0;
    this.firstAt = null;
    this.finished = new Promise((resolve) => { this.finish = resolve; });
  }

  deliver = async (payload) => {
    this.firstAt ??= performance.now();
    const answer = await request(this.url, {
      method: 'POST', dispatcher: this.agent, body: payload.body, headers: { 'content-type': 'application/json' },
    });
    await answer.body.dump();
    if (answer.statusCode < 200 || answer.statusCode > 299) {
      this.failed += 1;
      throw new Error(`the endpoint says ${answer.statusCode}`);
    }
    this.done += 1;
    if (this.done === this.expected) this.finish();
  };
}

async function inPortions(count, add) {
  for (let added = 0; added < count; added += JOBS_PER_CALL) await add(Math.min(JOBS_PER_CALL, count - added));
}

// peer: open(storeUrl), add(jobs with this payload, how many), work(round) → a function that stops once everything that is done
// is on record, left(), close(). The clock runs from the first task's start, so starting the worker is not held against it,
// until the worker has stopped: that is when the last completion is committed.
async function drain(peer, count, agent, url) {
  const round = new Round(count, agent, url);
  const stop = await peer.work(round);
  await round.finished;
  const lastAt = performance.now();
  await stop();
  const end = performance.now();
  return { seconds: (end - round.firstAt) / 1000, stopSeconds: (end - lastAt) / 1000, failed: round.failed };
}

async function main(peer) {
  const [store, url, body] = process.argv.slice(2, 5);
  const [jobs, warmUp] = process.argv.slice(5, 7).map(Number);
  const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const agent = makeAgent();
  await peer.open(store);
  const fill = (count) => inPortions(count, (size) => peer.add({ body }, size));
  // In this process, so that the code is compiled and the connections are open when it counts.
  await fill(warmUp);
  if (warmUp > 0) await drain(peer, warmUp, agent, url);
  await fill(jobs);
  console.log(JSON.stringify({ ready: true }));
  await lines.next();
  const result = await drain(peer, jobs, agent, url);
  console.log(JSON.stringify({ ...result, left: await peer.left() }));
  await lines.next(); // until then its CPU time and memory can be read
  await peer.close();
  await agent.close();
  process.exit(0);
}

function run(peer) {
  main(peer).catch((error) => {
    console.error(error);
    process.exit(1);
  });
}

module.exports = { CONCURRENT, Round, makeAgent, run };
