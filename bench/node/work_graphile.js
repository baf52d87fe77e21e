// A worker of graphile-worker that delivers what comes in, until it is told to stop. Beside accept_graphile.js in a process of its own,
// so that each of them can have a core. Used by bench/peers.py.
//   node work_graphile.js DATABASE_URL TARGET_URL
'use strict';
const { run } = require('graphile-worker');
const presetOf = require('./graphile_preset.js');
const { Round, makeAgent } = require('./peer.js');

// Few are enough with a local queue, and PostgreSQL has a hundred for everybody by default.
const CONNECTIONS = 16;

async function main() {
  const [database, url] = process.argv.slice(2, 4);
  const round = new Round(Infinity, makeAgent(), url);
  const runner = await run({ preset: presetOf(database, CONNECTIONS), taskList: { deliver: round.deliver }, noHandleSignals: true });
  console.log(JSON.stringify({ ready: true }));
  process.on('SIGTERM', async () => {
    await runner.stop();
    process.exit(0);
  });
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
