// pg-boss as a peer of ./dev bench peers; see peer.js. Its own worker asks again after a pause or when a batch was full; fetching and
// completing in batches by hand, in a few loops, is the fastest its documentation offers.
'use strict';
const peer = require('./peer.js');

const QUEUE = 'deliver';
const LOOPS = 4;
const BATCH = 200;

let boss;

// Fetches, delivers, completes, until all are done. A job that fails would be tried again by pg-boss; the bench has none.
async function loop(round) {
  while (round.done < round.expected) {
    const jobs = await boss.fetch(QUEUE, { batchSize: BATCH });
    if (jobs.length === 0) break; // what is left is in the other loops' hands
    await Promise.all(jobs.map((job) => round.deliver(job.data)));
    await boss.complete(QUEUE, jobs.map((job) => job.id));
  }
}

peer.run({
  async open(database) {
    const { PgBoss } = await import('pg-boss');
    // Maintenance and schedules are of no use here and would cost it time.
    boss = new PgBoss({ connectionString: database, max: LOOPS + 2, supervise: false, schedule: false });
    boss.on('error', (error) => { throw error; });
    await boss.start();
    await boss.createQueue(QUEUE);
  },
  add: (payload, count) => boss.insert(QUEUE, Array.from({ length: count }, () => ({ data: payload }))),
  async work(round) {
    const loops = Promise.all(Array.from({ length: LOOPS }, () => loop(round)));
    return () => loops;
  },
  async left() {
    const [{ jobs }] = (await boss.getDb().executeSql("SELECT count(*)::int AS jobs FROM pgboss.job WHERE state <> 'completed'", [])).rows;
    return jobs;
  },
  close: () => boss.stop({ graceful: false }),
});
