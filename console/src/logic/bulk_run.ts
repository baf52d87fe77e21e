// Does one act to many things, a few at a time, until done or stopped. One that fails does not stop the others.

const AT_ONCE = 4;

export interface BulkProgress {
  total: number;
  done: number;
  failed: { id: string; error: unknown }[];
}

export async function runBulk(
  ids: string[],
  act: (id: string) => Promise<unknown>,
  onProgress: (progress: BulkProgress) => void,
  stopped: () => boolean,
): Promise<BulkProgress> {
  const progress: BulkProgress = { total: ids.length, done: 0, failed: [] };
  const waiting = [...ids];
  const worker = async () => {
    for (let id = waiting.shift(); id !== undefined && !stopped(); id = waiting.shift()) {
      try {
        await act(id);
        ++progress.done;
      } catch (error) {
        progress.failed.push({ id, error });
      }
      onProgress({ ...progress });
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, ids.length) }, worker));
  return progress;
}
