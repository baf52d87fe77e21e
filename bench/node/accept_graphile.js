// A small HTTP server that puts a job of graphile-worker into its queue for each POST and says 201 when it is committed: what people
// write in front of it. One statement per request, from a pool of connections, by node:http alone. Used by bench/peers.py.
//   node accept_graphile.js DATABASE_URL
'use strict';
const http = require('node:http');
const { makeWorkerUtils } = require('graphile-worker');
const presetOf = require('./graphile_preset.js');
const { CONCURRENT } = require('./peer.js');

async function main() {
  const preset = presetOf(process.argv[2], CONCURRENT);
  const utils = await makeWorkerUtils({ preset });
  await utils.migrate();
  const server = http.createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const job = JSON.parse(Buffer.concat(parts));
      utils.addJob('deliver', { body: job.payload }).then(
        (added) => response.writeHead(201, { 'content-type': 'application/json' }).end(`{"id":"${added.id}"}`),
        (error) => response.writeHead(500).end(String(error)),
      );
    });
  });
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));
  process.on('SIGTERM', () => process.exit(0));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
