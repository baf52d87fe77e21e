// The overview: what needs attention first, then what moves, waits and fails.
import { useLiveState, useOverview } from "../core/live";
import { t } from "../i18n/i18n";
import { Screen } from "../ui/screen";
import { ErrorBox, Skeleton } from "../ui/states";
import { AttentionList } from "./overview/attention_list";
import { DeadByReason } from "./overview/dead_by_reason";
import { PoolsNow } from "./overview/pools_now";
import { RoutesNow } from "./overview/routes_now";
import { ServerFacts } from "./overview/server_facts";
import { Throughput } from "./overview/throughput";

export function OverviewScreen() {
  const overview = useOverview();
  const live = useLiveState();
  return (
    <Screen title={t("nav.overview")}>
      {live?.refused && <ErrorBox error={live.refused} />}
      {!overview && !live?.refused && <Skeleton rows={8} />}
      {overview && (
        <>
          <AttentionList items={overview.attention} at={overview.at} routes={overview.routes} />
          <Throughput overview={overview} />
          <PoolsNow pools={overview.pools} />
          <div class="halves">
            <RoutesNow routes={overview.routes} />
            <DeadByReason dead={overview.dead} />
          </div>
          <ServerFacts overview={overview} />
        </>
      )}
    </Screen>
  );
}
