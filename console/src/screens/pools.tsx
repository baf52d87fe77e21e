// Pools: what is in them now, and their limits; make, change, pause, resume.
import { useState } from "preact/hooks";
import { listPools } from "../api/lanes";
import type { PoolNow } from "../api/overview_types";
import type { Pool } from "../api/types";
import { useMayAdminister } from "../auth/session";
import { useOverview } from "../core/live";
import { useLoad } from "../core/load";
import { hrefOf } from "../core/router";
import { t } from "../i18n/i18n";
import { count, integer } from "../logic/numbers";
import { Badge } from "../ui/badge";
import { Link } from "../ui/link";
import { Refresh } from "../ui/refresh";
import { Screen } from "../ui/screen";
import { Empty, ErrorBox, Skeleton } from "../ui/states";
import { Table, type Column } from "../ui/table";
import { Age } from "../ui/when";
import { PauseButton } from "./overview/pools_now";
import { PoolForm } from "./pool_form";

function columnsOf(now: Map<string, PoolNow>, onEdit: (pool: Pool) => void, onDone: () => void, may: boolean): Column<Pool>[] {
  const live = (pool: Pool, show: (one: PoolNow) => preact.ComponentChildren) => {
    const one = now.get(pool.code);
    return one ? show(one) : <span class="muted nil">–</span>;
  };
  return [
    {
      name: t("pool"),
      head: true,
      cell: (p) => (
        <>
          <Link data-open href={hrefOf(["jobs"], { dispatchPoolId: p.code })}>{p.code}</Link>
          {p.name !== p.code && <span class="muted"> {p.name}</span>}
        </>
      ),
    },
    { name: t("status"), cell: (p) => <Badge of="pool" state={p.status} /> },
    { name: t("pool.waiting"), number: true, cell: (p) => live(p, (one) => count(one.waiting)) },
    { name: t("pool.due"), number: true, cell: (p) => live(p, (one) => count(one.due)) },
    { name: t("pool.oldest"), number: true, cell: (p) => live(p, (one) => <Age since={one.oldestDueAt} />) },
    { name: t("pool.in_flight"), number: true, cell: (p) => live(p, (one) => integer(one.inFlight)) },
    { name: t("pool.concurrency"), number: true, cell: (p) => (p.concurrency === null ? t("unlimited") : integer(p.concurrency)) },
    { name: t("pool.rate"), number: true, cell: (p) => (p.rateLimitPerMinute === null ? t("unlimited") : t("per_minute", { n: integer(p.rateLimitPerMinute) })) },
    { name: t("pool.burst"), number: true, cell: (p) => integer(p.burst) },
    {
      name: t("act"),
      cell: (p) => (
        <span class="row-acts">
          <button type="button" class="button small" disabled={!may} title={may ? undefined : t("needs_admin")} aria-label={t("pool.edit_one", { pool: p.code })} onClick={() => onEdit(p)}>
            {t("edit")}
          </button>
          <PauseButton pool={p.code} status={p.status} onDone={onDone} />
        </span>
      ),
    },
  ];
}

export function Pools() {
  const overview = useOverview();
  const may = useMayAdminister();
  const { data, error, loading, reload } = useLoad("pools", listPools);
  const [form, setForm] = useState<Pool | "new" | null>(null);
  const now = new Map((overview?.pools ?? []).map((one) => [one.pool, one]));
  return (
    <Screen
      title={t("nav.pools")}
      intro={t("pools.intro")}
      actions={
        <>
          <button type="button" class="button primary" disabled={!may} title={may ? undefined : t("needs_admin")} onClick={() => setForm("new")}>
            {t("pool.new")}
          </button>
          <Refresh onRefresh={reload} busy={loading} />
        </>
      }
    >
      {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
      {!data && loading && <Skeleton rows={3} />}
      {data && data.data.length === 0 && <Empty title={t("pools.none")} />}
      {data && data.data.length > 0 && <Table caption={t("nav.pools")} columns={columnsOf(now, setForm, reload, may)} rows={data.data} idOf={(p) => p.code} />}
      {form && (
        <PoolForm
          pool={form === "new" ? null : form}
          onClose={() => setForm(null)}
          onDone={() => {
            setForm(null);
            reload();
          }}
        />
      )}
    </Screen>
  );
}
