// graphile-worker as the peer of ./dev bench webhooks, with its fastest settings: prepares a queue, waits for a line on
// standard input, delivers the queue, and says on standard output how long it took. Used by bench/graphile.py.
//   node drain.js DATABASE_URL TARGET_URL PAYLOAD JOBS WARM_UP
'use strict';
const readline = require('node:readline');
const { Logger, makeWorkerUtils, run } = require('graphile-worker');
const { Agent, request } = require('undici');

const [database, url, body] = process.argv.slice(2, 5);
const [jobs, warmUp] = process.argv.slice(5, 7).map(Number);
const CONCURRENT = 64;
const JOBS_PER_CALL = 2000;

const agent = new Agent({ connections: CONCURRENT, keepAliveTimeout: 300_000, keepAliveMaxTimeout: 600_000 });
const preset = {
  worker: {
    connectionString: database,
    concurrentJobs: CONCURRENT,
    maxPoolSize: CONCURRENT + 1,
    localQueue: { size: 500 },
    // 0: everything that is done within a turn of the event loop is completed by one statement.
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
    // Silent: the default logger writes a line for each job.
    logger: new Logger(() => () => {}),
  },
};

// One drain's tasks: when the first began, how many are done, how many were refused.
class Round {
  constructor(expected) {
    this.expected = expected;
    this.done = 0;
    this.failed = 0;
    this.firstAt = null;
    this.finished = new Promise((resolve) => { this.finish = resolve; });
  }

  deliver = async (payload) => {
    this.firstAt ??= performance.now();
    const answer = await request(url, {
      method: 'POST', dispatcher: agent, body: payload.body, headers: { 'content-type': 'application/json' },
    });
    await answer.body.dump();
    if (answer.statusCode !== 200) {
      this.failed += 1;
      throw new Error(`the endpoint says ${answer.statusCode}`);
    }
    this.done += 1;
    if (this.done === this.expected) this.finish();
  };
}

async function addJobs(utils, count) {
  const payload = { body };
  for (let added = 0; added < count; added += JOBS_PER_CALL) {
    const size = Math.min(JOBS_PER_CALL, count - added);
    await utils.addJobs(Array.from({ length: size }, () => ({ identifier: 'deliver', payload })));
  }
}

// The clock runs from the first task's start, so starting the worker is not held against it, until the worker has
// stopped: that is when the last batch of completions is committed.
async function drain(count) {
  const round = new Round(count);
  const runner = await run({ preset, taskList: { deliver: round.deliver }, noHandleSignals: true });
  await round.finished;
  const lastAt = performance.now();
  await runner.stop();
  const end = performance.now();
  return { seconds: (end - round.firstAt) / 1000, stopSeconds: (end - lastAt) / 1000, failed: round.failed };
}

async function jobsLeft(utils) {
  return utils.withPgClient(async (client) => {
    const found = await client.query('SELECT count(*)::int AS jobs FROM graphile_worker.jobs');
    return found.rows[0].jobs;
  });
}

async function main() {
  const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const utils = await makeWorkerUtils({ preset });
  await utils.migrate();
  // In this process, so that the code is compiled and the connections are open when it counts.
  await addJobs(utils, warmUp);
  if (warmUp > 0) await drain(warmUp);
  await addJobs(utils, jobs);
  console.log(JSON.stringify({ ready: true }));
  await lines.next();
  const result = await drain(jobs);
  console.log(JSON.stringify({ ...result, left: await jobsLeft(utils) }));
  await lines.next(); // until then its CPU time can be read
  await utils.release();
  await agent.close();
  process.exit(0);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
