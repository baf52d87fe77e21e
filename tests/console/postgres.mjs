// A PostgreSQL server of the tests' own, or null where there is none: a cluster in a temporary folder, as the user `postgres` when
// we are root, without syncing. A watcher that reads from a pipe stops it and clears up when this process ends, however that
// happens (as tests/support/postgres_server.cpp does it).
import {execFileSync, spawn} from 'node:child_process';
import {appendFileSync, existsSync, mkdtempSync, readdirSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {freePort} from './serve.mjs';

const OWNER = 'postgres';
const ROOT = '/usr/lib/postgresql';  // Debian: a folder per version, out of the path
const asOwner = (command) =>
  process.getuid() === 0 ? ['setpriv', `--reuid=${OWNER}`, `--regid=${OWNER}`, '--init-groups', ...command] : command;

function run([program, ...words], input = 'ignore') {
  return execFileSync(program, words, {env: {...process.env, LC_ALL: 'C.UTF-8'}, stdio: [input, 'pipe', 'pipe'], encoding: 'utf8'});
}

function programs() {
  if (!existsSync(ROOT)) return null;
  const newest = readdirSync(ROOT).map(Number).filter((v) => existsSync(`${ROOT}/${v}/bin/initdb`)).sort((a, b) => b - a)[0];
  return newest ? `${ROOT}/${newest}/bin` : null;
}

export async function startPostgres() {
  const bin = programs();
  if (!bin) return null;
  const folder = mkdtempSync(join(tmpdir(), 'eilbote-console-pg-'));
  if (process.getuid() === 0) run(['chown', `${OWNER}:${OWNER}`, folder]);
  const data = join(folder, 'data'), port = await freePort();
  run(asOwner([`${bin}/initdb`, '--no-sync', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--username=eilbote', '-D', data]));
  appendFileSync(join(data, 'postgresql.conf'), `\nlisten_addresses = '127.0.0.1'\nport = ${port}\nunix_socket_directories = ''\n` +
    `max_connections = 100\nshared_buffers = 256MB\nmax_wal_size = 4GB\nfsync = off\nlog_min_messages = fatal\n`);
  const stop = asOwner([`${bin}/pg_ctl`, 'stop', '-w', '-m', 'immediate', '-D', data]).join(' ');
  const watcher = spawn('/bin/sh', ['-c', `cat >/dev/null; ${stop} >/dev/null 2>&1; rm -rf ${folder}`],
    {stdio: ['pipe', 'ignore', 'ignore'], detached: true});
  watcher.unref();
  watcher.stdin.unref();
  run(asOwner([`${bin}/pg_ctl`, 'start', '-w', '-t', '60', '-D', data, '-l', join(folder, 'log')]));
  const cleared = new Promise((resolve) => watcher.once('exit', resolve));
  return {
    url: `postgresql://eilbote@127.0.0.1:${port}/postgres`,
    async end() {
      watcher.ref();
      watcher.stdin.end();
      await cleared;
    },
  };
}
