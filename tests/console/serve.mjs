// Starts a real Eilbote (EILBOTE_BINARY) on a free port of loopback with a data folder of its own, and ends it as an operator
// would: SIGTERM, and it must exit with 0. Whatever is still running when the tests end, however they end, is killed.
import {execFileSync, spawn} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import net from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const READY = /^eilbote ready on (http:\/\/\S+)$/m;
const STARTS_WITHIN_MILLIS = 60_000;
const ENDS_WITHIN_MILLIS = 60_000;

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

function isFree(port) {
  return new Promise((resolve) => {
    const probe = net.createServer().once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** Below the ports of outgoing connections: what is stopped and started again finds its port free. */
export async function freePort() {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 20_000);
    if (await isFree(port)) return port;
  }
}

export class Server {
  /** `env` are options of Eilbote by their names; the port stays the same over stop() and start(). */
  constructor(env = {}) {
    this.env = env;
    this.folder = mkdtempSync(join(tmpdir(), 'eilbote-console-'));
  }

  async start() {
    this.port ??= await freePort();
    this.url = `http://127.0.0.1:${this.port}`;
    this.log = '';
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('EILBOTE_')));
    const env = {...clean, EILBOTE_LISTEN: `127.0.0.1:${this.port}`, EILBOTE_DATA_DIR: join(this.folder, 'data'), EILBOTE_LOG: 'text',
      EILBOTE_CAPTURE_FAULTS: 'by-address', EILBOTE_OUTBOUND_ALLOW: '127.0.0.0/8', ...this.env};
    if (this.env.EILBOTE_STORE_URL) execFileSync(process.env.EILBOTE_BINARY, ['migrate'], {env, stdio: ['ignore', 'ignore', 'pipe']});
    this.child = spawn(process.env.EILBOTE_BINARY, ['serve'], {stdio: ['ignore', 'pipe', 'pipe'], env});
    running.add(this.child);
    this.ended = new Promise((resolve) => this.child.once('exit', (code, signal) => {
      running.delete(this.child);
      resolve(code ?? signal);
    }));
    this.child.stderr.on('data', (text) => { this.log = (this.log + text).slice(-20_000); });
    await this.#ready();
    return this;
  }

  #ready() {
    let said = '';
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`not ready in time: ${said}${this.log}`)), STARTS_WITHIN_MILLIS);
      this.child.stdout.on('data', (text) => {
        said += text;
        if (READY.test(said)) { clearTimeout(late); resolve(); }
      });
      void this.ended.then((how) => { clearTimeout(late); reject(new Error(`ended with ${how}: ${this.log}`)); });
    });
  }

  /** Throws unless it ends by itself, with exit code 0. */
  async stop() {
    if (!this.child) return;
    this.child.kill('SIGTERM');
    let timer;
    const late = new Promise((resolve) => { timer = setTimeout(() => resolve('never'), ENDS_WITHIN_MILLIS); });
    const how = await Promise.race([this.ended, late]);
    clearTimeout(timer);
    if (how === 'never') this.child.kill('SIGKILL');
    this.child = undefined;
    if (how !== 0) throw new Error(`the server ended with ${how} after SIGTERM: ${this.log}`);
  }

  /** For good: the data goes as well. */
  async end() {
    try {
      await this.stop();
    } finally {
      rmSync(this.folder, {recursive: true, force: true});
    }
  }
}
