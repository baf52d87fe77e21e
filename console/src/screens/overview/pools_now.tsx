// What waits in each pool, how old the oldest of it is, and how busy the pool is; with pause and resume.
import { activatePool, suspendPool } from "../../api/lanes";
import type { PoolNow } from "../../api/overview_types";
import { hrefOf } from "../../core/router";
import { t } from "../../i18n/i18n";
import { count, integer } from "../../logic/numbers";
import { ActButton } from "../../ui/act_button";
import { Badge } from "../../ui/badge";
import { confirm } from "../../ui/confirm";
import { Icon } from "../../ui/icons";
import { Link } from "../../ui/link";
import { Table, type Column } from "../../ui/table";
import { Age, When } from "../../ui/when";

export async function pausePool(pool: string): Promise<string | undefined> {
  const yes = await confirm({ title: t("pool.pause_question", { pool }), body: t("pool.pause_body"), action: t("pool.pause") });
  if (!yes) return undefined;
  await suspendPool(pool);
  return t("pool.paused", { pool });
}

export async function resumePool(pool: string): Promise<string | undefined> {
  await activatePool(pool);
  return t("pool.resumed", { pool });
}

export function PauseButton({ pool, status, onDone }: { pool: string; status: string; onDone?: () => void }) {
  const active = status === "ACTIVE";
  const act = async () => {
    const said = await (active ? pausePool(pool) : resumePool(pool));
    if (said) onDone?.();
    return said;
  };
  return (
    <ActButton small act={act} label={t(active ? "pool.pause_one" : "pool.resume_one", { pool })}>
      <Icon shape={active ? "pause" : "play"} /> {t(active ? "pool.pause" : "pool.resume")}
    </ActButton>
  );
}

function Usage({ pool }: { pool: PoolNow }) {
  const { inFlight, concurrency } = pool;
  return (
    <span class="usage">
      {integer(inFlight)} / {concurrency === null ? "∞" : integer(concurrency)}
      {concurrency !== null && <meter min={0} max={concurrency} value={Math.min(inFlight, concurrency)} aria-hidden="true" />}
    </span>
  );
}

export function PoolsNow({ pools }: { pools: PoolNow[] }) {
  const columns: Column<PoolNow>[] = [
    { name: t("pool"), head: true, cell: (p) => <Link data-open href={hrefOf(["pools"])}>{p.pool}</Link> },
    { name: t("status"), cell: (p) => <Badge of="pool" state={p.status} /> },
    { name: t("pool.waiting"), number: true, cell: (p) => count(p.waiting) },
    { name: t("pool.due"), number: true, cell: (p) => count(p.due) },
    { name: t("pool.oldest"), number: true, cell: (p) => <Age since={p.oldestDueAt} /> },
    { name: t("pool.in_flight"), number: true, cell: (p) => <Usage pool={p} /> },
    { name: t("pool.rate"), number: true, cell: (p) => (p.rateLimitPerMinute === null ? t("unlimited") : t("per_minute", { n: integer(p.rateLimitPerMinute) })) },
    {
      name: t("pool.last_error"),
      wide: true,
      cell: (p) =>
        p.lastError ? (
          <span class="clip" title={p.lastError}>
            <span class="muted"><When at={p.lastErrorAt} /></span> {p.lastError}
          </span>
        ) : (
          <span class="muted nil">–</span>
        ),
    },
    { name: t("act"), cell: (p) => <PauseButton pool={p.pool} status={p.status} /> },
  ];
  return (
    <section aria-labelledby="pools">
      <h2 id="pools">{t("nav.pools")}</h2>
      <Table caption={t("nav.pools")} columns={columns} rows={pools} idOf={(p) => p.pool} />
    </section>
  );
}
