// graphile-worker as a peer of ./dev bench webhooks and peers; see peer.js.
'use strict';
const { makeWorkerUtils, run } = require('graphile-worker');
const presetOf = require('./graphile_preset.js');
const peer = require('./peer.js');

let preset, utils;

peer.run({
  async open(database) {
    preset = presetOf(database);
    utils = await makeWorkerUtils({ preset });
    await utils.migrate();
  },
  add: (payload, count) => utils.addJobs(Array.from({ length: count }, () => ({ identifier: 'deliver', payload }))),
  async work(round) {
    const runner = await run({ preset, taskList: { deliver: round.deliver }, noHandleSignals: true });
    return () => runner.stop();
  },
  left: () => utils.withPgClient(async (client) => {
    const found = await client.query('SELECT count(*)::int AS jobs FROM graphile_worker.jobs');
    return found.rows[0].jobs;
  }),
  close: () => utils.release(),
});
