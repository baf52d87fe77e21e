import assert from "node:assert/strict";
import { test } from "node:test";
import { gatherPage, LOOKS_MAX } from "../src/logic/gather_page";

const pages = (sizes: number[]) => async (cursor: string | undefined) => {
  const at = cursor ? Number(cursor) : 0;
  return { data: Array.from({ length: sizes[at] ?? 0 }, (_, n) => `${at}.${n}`), nextCursor: at + 1 < sizes.length ? String(at + 1) : null };
};

test("short and empty pages are gone through until there is enough", async () => {
  const got = await gatherPage(undefined, 5, pages([0, 2, 0, 4, 9]));
  assert.deepEqual([got.rows.length, got.nextCursor, got.lookedThrough], [6, "4", 4]);
});

test("the end is the end", async () => {
  const got = await gatherPage(undefined, 5, pages([1, 0]));
  assert.deepEqual([got.rows.length, got.nextCursor], [1, null]);
});

test("it does not go on for ever", async () => {
  const got = await gatherPage(undefined, 5, pages(Array(100).fill(0)));
  assert.deepEqual([got.rows.length, got.nextCursor, got.lookedThrough], [0, String(LOOKS_MAX), LOOKS_MAX]);
});
