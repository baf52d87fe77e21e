// An endpoint for webhooks that answers by its path: /200/…, /404/…, /429/…, /500/…, or not at all: /hang/…. It listens on several
// addresses of loopback, because a breaker belongs to a host: what fails on one must not shut the others. A body can be asked for
// with ?body=; `flaky` paths follow `sink.mood`, so that an endpoint can be put right in the middle of a test.
import http from 'node:http';
import {freePort} from './serve.mjs';

const HOSTS = {good: '127.0.0.1', bad: '127.0.0.2', slow: '127.0.0.3'};

export async function startSink() {
  const port = await freePort();
  const sink = {mood: 200, requests: 0, hosts: {}};
  const answer = (request, response) => {
    sink.requests += 1;
    request.resume();
    const url = new URL(request.url, 'http://sink');
    const word = url.pathname.split('/')[1];
    if (word === 'hang') return;
    const status = word === 'flaky' ? sink.mood : Number(word) || 200;
    const body = url.searchParams.get('body') ?? (status === 200 ? '{"ok":true}' : `{"error":"asked to answer ${status}"}`);
    if (status === 429) response.setHeader('Retry-After', '3600');
    request.on('end', () => response.writeHead(status, {'Content-Type': 'application/json'}).end(body));
  };
  const servers = [];
  for (const [name, host] of Object.entries(HOSTS)) {
    const server = http.createServer(answer);
    server.keepAliveTimeout = 60_000;
    await new Promise((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
    servers.push(server);
    sink.hosts[name] = `http://${host}:${port}`;
  }
  sink.end = async () => {
    for (const server of servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  };
  return sink;
}
