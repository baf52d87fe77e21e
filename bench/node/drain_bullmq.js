// bullmq as a peer of ./dev bench peers; see peer.js. Jobs go when they are done, as with graphile-worker: the least it can write.
'use strict';
const { Queue, Worker } = require('bullmq');
const IORedis = require('ioredis');
const peer = require('./peer.js');

const QUEUE = 'deliver';
// Of jobs in the worker's hands; the requests have as many connections as everybody's. More hide the answers of a Redis that syncs.
const IN_HAND = 256;

let connection, queue;

peer.run({
  async open(url) {
    connection = new IORedis(url, { maxRetriesPerRequest: null });
    queue = new Queue(QUEUE, { connection });
    await queue.waitUntilReady();
  },
  add: (payload, count) => queue.addBulk(Array.from({ length: count }, () => ({ name: 'deliver', data: payload }))),
  async work(round) {
    const worker = new Worker(QUEUE, (job) => round.deliver(job.data), {
      connection, concurrency: IN_HAND, removeOnComplete: { count: 0 },
    });
    worker.on('error', (error) => { throw error; });
    return () => worker.close(); // waits until what is done is on record
  },
  async left() {
    const counts = await queue.getJobCounts('waiting', 'active', 'delayed', 'failed', 'prioritized');
    return Object.values(counts).reduce((sum, one) => sum + one, 0);
  },
  async close() {
    await queue.close();
    connection.disconnect();
  },
});
