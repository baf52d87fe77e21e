// The ways out: which work, which are shut by their breaker, and why. Of all instances; what the others say is seconds old.
import { listBreakers } from "../api/lanes";
import { useLoad } from "../core/load";
import { useRepeat } from "../core/repeat";
import { t } from "../i18n/i18n";
import { Refresh } from "../ui/refresh";
import { Screen } from "../ui/screen";
import { Empty, ErrorBox, Skeleton } from "../ui/states";
import { Table } from "../ui/table";
import { routeColumns, routeId } from "./overview/routes_now";

const LOOK_AGAIN_MILLIS = 5000;

export function Routes() {
  const { data, error, loading, reload } = useLoad("breakers", listBreakers);
  useRepeat(LOOK_AGAIN_MILLIS, reload);
  const rows = data?.data;
  return (
    <Screen title={t("nav.routes")} intro={t("routes.intro")} actions={<Refresh onRefresh={reload} busy={loading} />}>
      {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
      {!rows && loading && <Skeleton rows={3} />}
      {rows && rows.length === 0 && <Empty title={t("routes.none")} />}
      {data?.partial && <p class="muted">{t("routes.partial")}</p>}
      {rows && rows.length > 0 && <Table caption={t("nav.routes")} columns={routeColumns({ onDone: reload })} rows={rows} idOf={routeId} />}
    </Screen>
  );
}
