// What all cases share: the browser, an endpoint, a server filled with 200,000 jobs (on PostgreSQL where there is one), and a small
// and empty one on SQLite that cases may fill, stop and start. Servers that a case needs for itself it makes for itself.
import {Api} from './api.mjs';
import {closeBrowser, launchBrowser} from './browser.mjs';
import {startPostgres} from './postgres.mjs';
import {seed} from './seed.mjs';
import {Server} from './serve.mjs';
import {startSink} from './sink.mjs';

export const world = {};
const ends = [];

export async function startWorld(say) {
  world.sink = await kept(startSink());
  const postgres = await startPostgres();
  if (postgres) ends.push(postgres);
  else say('NO POSTGRESQL here: the jobs are in SQLite');
  world.server = await kept(new Server(postgres ? {EILBOTE_STORE_URL: postgres.url} : {}).start());
  world.api = new Api(world.server.url);
  const {total, acceptedMillis, settledMillis} = await seed(world.api, world.sink);
  say(`${total} jobs on ${postgres ? 'PostgreSQL' : 'SQLite'}: accepted in ${acceptedMillis} ms, at rest after ${settledMillis} ms`);
  await launchBrowser();
  ends.push({end: closeBrowser});
}

/** Ended with the world, the newest first. */
export async function kept(made) {
  const one = await made;
  ends.push(one);
  return one;
}

export async function endWorld() {
  const faults = [];
  for (const one of ends.reverse()) await one.end().catch((error) => faults.push(error));
  if (faults.length) throw new AggregateError(faults, faults.map(String).join('\n'));
}
