// What can be done to the chosen rows of a list.
import { useRef, useState } from "preact/hooks";
import { t } from "../i18n/i18n";
import { runBulk, type BulkProgress } from "../logic/bulk_run";
import { explainShort } from "../logic/explain";
import { integer } from "../logic/numbers";
import { ActButton } from "./act_button";
import { confirm } from "./confirm";
import { ProgressDialog } from "./progress";

export interface BulkAct {
  label: string;
  question(n: string): string;
  danger?: boolean;
  act(id: string): Promise<unknown>;
}

interface Props {
  ids: string[];
  acts: BulkAct[];
  onClear(): void;
  onDone(): void;
}

const FAULTS_SHOWN_MAX = 20;

export function BulkBar({ ids, acts, onClear, onDone }: Props) {
  const [work, setWork] = useState<{ title: string; progress: BulkProgress; running: boolean } | null>(null);
  const stop = useRef(false);
  const run = async (bulk: BulkAct): Promise<undefined> => {
    const yes = await confirm({ title: bulk.question(integer(ids.length)), action: bulk.label, danger: bulk.danger ?? false });
    if (!yes) return;
    stop.current = false;
    const title = bulk.label;
    setWork({ title, progress: { total: ids.length, done: 0, failed: [] }, running: true });
    const end = await runBulk(ids, bulk.act, (progress) => setWork({ title, progress, running: true }), () => stop.current);
    setWork({ title, progress: end, running: false });
  };
  const close = () => {
    setWork(null);
    onClear();
    onDone();
  };
  if (!ids.length && !work) return null;
  return (
    <div class="bulk-bar" role="region" aria-label={t("select.label")}>
      <span role="status">{t("select.chosen", { n: ids.length })}</span>
      {acts.map((bulk) => (
        <ActButton key={bulk.label} kind={bulk.danger ? "danger" : undefined} act={() => run(bulk)}>
          {bulk.label}
        </ActButton>
      ))}
      <button type="button" class="button quiet" onClick={onClear}>
        {t("select.none")}
      </button>
      {work && (
        <ProgressDialog
          title={work.title}
          done={work.progress.done + work.progress.failed.length}
          total={work.progress.total}
          running={work.running}
          result={t("progress.result", { done: integer(work.progress.done), failed: integer(work.progress.failed.length) })}
          lines={work.progress.failed.slice(0, FAULTS_SHOWN_MAX).map(({ id, error }) => `${id}: ${explainShort(error)}`)}
          onStop={() => {
            stop.current = true;
          }}
          onClose={close}
        />
      )}
    </div>
  );
}
