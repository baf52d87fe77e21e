// Sends all that match again: counted first, then in steps that can be stopped.
import { useRef, useState } from "preact/hooks";
import { requeueJobs, requeueMessages } from "../api/messages";
import type { Page, RequeueResult } from "../api/types";
import { t } from "../i18n/i18n";
import { explainShort } from "../logic/explain";
import { integer } from "../logic/numbers";
import { requeueAll, STEP, type Progress } from "../logic/requeue_walk";
import { ActButton } from "../ui/act_button";
import { confirm } from "../ui/confirm";
import { ProgressDialog } from "../ui/progress";

const COUNT_MAX = 10000; // as many as the server counts in one call

interface Props {
  channel: "mail" | "webhook";
  filter: Record<string, string>;
  /** A page of the list that the filter makes. */
  page(cursor: string | undefined, limit: number): Promise<Page<string>>;
  onDone(): void;
}

interface Work {
  progress: Progress;
  total: number | null;
  running: boolean;
  stopped: boolean;
  fault?: string;
}

export function RequeueAll({ channel, filter, page, onDone }: Props) {
  const [work, setWork] = useState<Work | null>(null);
  const stop = useRef(false);
  const requeue = channel === "mail" ? requeueMessages : requeueJobs;

  const start = async (counted: RequeueResult) => {
    stop.current = false;
    const total = counted.more ? null : counted.matched;
    let latest: Work = { progress: { done: 0, refused: 0, finished: false }, total, running: true, stopped: false };
    const show = (change: Partial<Work>) => setWork((latest = { ...latest, ...change }));
    show({});
    try {
      const progress = await requeueAll({
        page: (cursor) => page(cursor, STEP),
        requeue: (ids) => requeue({ ids }),
        onProgress: (now) => show({ progress: now }),
        stopped: () => stop.current,
      });
      show({ progress, running: false, stopped: stop.current && !progress.finished });
    } catch (error) {
      show({ running: false, fault: explainShort(error) });
    }
  };

  const ask = async (): Promise<string | undefined> => {
    const counted = await requeue({ filter, dryRun: true, limit: COUNT_MAX });
    if (counted.matched === 0) return t("requeue.none");
    const n = counted.more ? `${integer(counted.matched)}+` : integer(counted.matched);
    const yes = await confirm({ title: t("requeue.question", { n }), body: t("requeue.body"), action: t("requeue.action", { n }) });
    if (yes) void start(counted);
    return undefined;
  };

  const close = () => {
    setWork(null);
    onDone();
  };
  return (
    <div class="requeue-all">
      <ActButton act={ask} kind="primary">
        {t("requeue.all")}
      </ActButton>
      {work && (
        <ProgressDialog
          title={t("requeue.all")}
          done={work.progress.done + work.progress.refused}
          total={work.total}
          running={work.running}
          result={t(work.stopped ? "requeue.stopped" : "requeue.done", { n: integer(work.progress.done) })}
          lines={[work.progress.refused > 0 ? t("requeue.refused", { n: integer(work.progress.refused) }) : "", work.fault ?? ""].filter(Boolean)}
          onStop={() => {
            stop.current = true;
          }}
          onClose={close}
        />
      )}
    </div>
  );
}
