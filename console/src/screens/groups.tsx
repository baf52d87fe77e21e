// Groups that wait for a person: the job in turn is dead, and nobody behind it goes out before it is skipped or sent
// again.
import { listBlockedGroups, retryGroup, skipGroup } from "../api/lanes";
import type { BlockedGroup } from "../api/types";
import { useLoad } from "../core/load";
import { hrefOf } from "../core/router";
import { t, word } from "../i18n/i18n";
import { count } from "../logic/numbers";
import { ActButton } from "../ui/act_button";
import { confirm } from "../ui/confirm";
import { Link } from "../ui/link";
import { Refresh } from "../ui/refresh";
import { Screen } from "../ui/screen";
import { Empty, ErrorBox, Skeleton } from "../ui/states";
import { Table, type Column } from "../ui/table";
import { When } from "../ui/when";

function GroupActs({ group, onDone }: { group: BlockedGroup; onDone(): void }) {
  const skip = async () => {
    const yes = await confirm({ title: t("group.skip_question", { group: group.group }), body: t("group.skip_body"), action: t("group.skip"), danger: true });
    if (!yes) return undefined;
    await skipGroup(group);
    onDone();
    return t("group.skipped", { group: group.group });
  };
  const retry = async () => {
    await retryGroup(group);
    onDone();
    return t("group.retried", { group: group.group });
  };
  return (
    <span class="row-acts">
      <ActButton small act={retry} label={t("group.retry_one", { group: group.group })}>
        {t("act.retry")}
      </ActButton>
      <ActButton small kind="danger" act={skip} label={t("group.skip_one", { group: group.group })}>
        {t("group.skip")}
      </ActButton>
    </span>
  );
}

export function Groups() {
  const { data, error, loading, reload } = useLoad("groups", (signal) => listBlockedGroups(undefined, signal));
  const columns: Column<BlockedGroup>[] = [
    { name: t("job.group"), head: true, cell: (g) => <span class="break">{g.group}</span> },
    { name: t("client"), cell: (g) => <span class="break">{g.clientId}</span> },
    { name: t("channel"), cell: (g) => word("channel", g.channel) },
    { name: t("group.blocked_since"), cell: (g) => <When at={g.since} /> },
    { name: t("group.behind"), number: true, cell: (g) => count(g.waiting) },
    {
      name: t("group.blocked_by"),
      cell: (g) => (
        <Link class="id" data-open href={hrefOf([g.channel === "mail" ? "messages" : "jobs", g.blockingJobId])}>
          {g.blockingJobId}
        </Link>
      ),
    },
    { name: t("last_error"), wide: true, cell: (g) => <span class="clip" title={g.lastError}>{g.lastError || "–"}</span> },
    { name: t("act"), cell: (g) => <GroupActs group={g} onDone={reload} /> },
  ];
  return (
    <Screen title={t("nav.groups")} intro={t("groups.intro")} actions={<Refresh onRefresh={reload} busy={loading} />}>
      {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
      {!data && loading && <Skeleton rows={3} />}
      {data && data.data.length === 0 && <Empty title={t("groups.none")} />}
      {data && data.data.length > 0 && <Table caption={t("nav.groups")} columns={columns} rows={data.data} idOf={(g) => `${g.channel} ${g.clientId} ${g.group}`} />}
    </Screen>
  );
}
