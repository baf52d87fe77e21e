import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page, RequeueResult } from "../src/api/types";
import { requeueAll, STEP } from "../src/logic/requeue_walk";
import { acceptedAt } from "../src/logic/tsid";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
function idAt(millis: number, n: number): string {
  let bits = (BigInt(millis - Date.UTC(2020, 0, 1)) << 22n) | BigInt(n);
  let text = "";
  for (let at = 0; at < 13; ++at, bits >>= 5n) text = (ALPHABET[Number(bits & 31n)] as string) + text;
  return text;
}

// A server whose dead jobs die again at once when `stubborn`; its cursor is the last id of a page.
function server(ids: string[], stubborn: boolean) {
  let dead = [...ids].sort().reverse();
  const tried = new Map<string, number>();
  return {
    tried,
    async page(cursor: string | undefined): Promise<Page<string>> {
      const rest = dead.filter((id) => cursor === undefined || id < cursor);
      const data = rest.slice(0, STEP);
      return { data, nextCursor: rest.length > STEP ? (data[STEP - 1] as string) : null };
    },
    async requeue(taken: string[]): Promise<RequeueResult> {
      for (const id of taken) tried.set(id, (tried.get(id) ?? 0) + 1);
      if (!stubborn) dead = dead.filter((id) => !taken.includes(id));
      return { matched: taken.length, requeued: taken.length, refused: 0, notFound: 0, dryRun: false, more: false, ids: taken };
    },
  };
}

const start = Date.UTC(2026, 10, 18);
const spread = Array.from({ length: 3 * STEP + 50 }, (_, at) => idAt(start + Math.floor(at / 3), at % 3));
const batch = Array.from({ length: 3 * STEP }, (_, at) => idAt(start, at));

async function walk(ids: string[], stubborn: boolean, stopAfter = Infinity) {
  const fake = server(ids, stubborn);
  let steps = 0;
  const progress = await requeueAll({
    page: fake.page,
    requeue: fake.requeue,
    onProgress: () => ++steps,
    stopped: () => steps >= stopAfter,
  });
  return { progress, tried: fake.tried, steps };
}

test("all that match are sent again once", async () => {
  const { progress, tried } = await walk(spread, false);
  assert.equal(progress.finished, true);
  assert.equal(tried.size, spread.length);
  assert.ok([...tried.values()].every((times) => times === 1));
});

test("a batch that shares its millisecond is sent again as a whole, also when all of it dies again at once", async () => {
  for (const stubborn of [false, true]) {
    const { progress, tried } = await walk(batch, stubborn);
    assert.equal(tried.size, batch.length);
    assert.equal(progress.done, batch.length);
    assert.ok([...tried.values()].every((times) => times === 1));
  }
});

test("jobs that die again at once do not make it go round for ever", async () => {
  const { tried, steps } = await walk(spread, true);
  assert.equal(tried.size, spread.length);
  assert.ok(steps <= 6, `${steps} steps`);
});

test("it stops when told to", async () => {
  const { progress } = await walk(spread, false, 1);
  assert.deepEqual(progress, { done: STEP, refused: 0, finished: false });
});

test("an id tells when it was accepted", () => {
  assert.equal(acceptedAt(idAt(start + 7, 99)), "2026-11-18T00:00:00.007Z");
  assert.equal(acceptedAt("not an id"), undefined);
});
