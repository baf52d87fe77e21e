// The ways out and their breakers, of every instance that has one.
import { resetBreaker } from "../../api/lanes";
import type { RouteNow } from "../../api/overview_types";
import { t } from "../../i18n/i18n";
import { ActButton } from "../../ui/act_button";
import { Badge } from "../../ui/badge";
import { Empty } from "../../ui/states";
import { Table, type Column } from "../../ui/table";
import { When } from "../../ui/when";

export function ResetButton({ route, onDone }: { route: string; onDone?: () => void }) {
  const act = async () => {
    const others = await resetBreaker(route);
    onDone?.();
    return t(others > 0 ? "breaker.was_reset_everywhere" : "breaker.was_reset", { route, n: others });
  };
  return (
    <ActButton small act={act} label={t("breaker.reset_one", { route })}>
      {t("breaker.reset")}
    </ActButton>
  );
}

export const routeId = (r: { instance: string; route: string; channel?: string }) => `${r.instance} ${r.channel} ${r.route}`;

type RouteRow = Omit<RouteNow, "since"> & { since?: string | null };

const instanceColumn = (): Column<RouteRow> => ({ name: t("instance"), cell: (r) => <span class="break">{r.instance}</span> });

// `below`: the instance stands under the route, for where a column of its own has no room.
export function routeColumns({ below, onDone }: { below?: boolean; onDone?: () => void }): Column<RouteRow>[] {
  const route = (r: RouteRow) => (
    <>
      <span class="break">{r.route}</span>
      {below && <div class="muted break">{r.instance}</div>}
    </>
  );
  return [
    { name: t("route"), head: true, cell: route },
    ...(below === undefined ? [instanceColumn()] : []),
    { name: t("status"), cell: (r) => <Badge of="breaker" state={r.state} /> },
    { name: t("since"), cell: (r) => <When at={r.since} /> },
    { name: t("reason"), wide: true, cell: (r) => (r.reason ? <span class="break">{r.reason}</span> : <span class="muted nil">–</span>) },
    { name: t("act"), cell: (r) => (r.state === "closed" ? <span class="muted nil">–</span> : <ResetButton route={r.route} onDone={onDone} />) },
  ];
}

export function RoutesNow({ routes }: { routes: RouteNow[] }) {
  const several = new Set(routes.map((r) => r.instance)).size > 1;
  return (
    <section aria-labelledby="routes">
      <h2 id="routes">{t("nav.routes")}</h2>
      {routes.length === 0 ? (
        <Empty title={t("routes.none")} />
      ) : (
        <Table caption={t("nav.routes")} columns={routeColumns({ below: several })} rows={routes} idOf={routeId} />
      )}
    </section>
  );
}
