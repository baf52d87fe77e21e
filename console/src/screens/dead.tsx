// Dead letters in bulk: by channel and reason, chosen ones or all that match; and mails that are about to become some.
import { useState } from "preact/hooks";
import { listJobs } from "../api/jobs";
import { listMessages } from "../api/messages";
import type { Job, Message, Page } from "../api/types";
import { hrefWith, usePlace } from "../core/router";
import { t, word, type Key } from "../i18n/i18n";
import { isDeadJob } from "../logic/allowed_acts";
import { FilterBar, filterQuery, type Filter } from "../ui/filters";
import { Link } from "../ui/link";
import { PagedList } from "../ui/paged_list";
import { Refresh } from "../ui/refresh";
import { Screen } from "../ui/screen";
import { Empty } from "../ui/states";
import { jobColumns, jobFilters, retryJobs } from "./job_parts";
import { giveUpMails, mailColumns, mailFilters, retryMails } from "./message_parts";
import { RequeueAll } from "./requeue_all";

type Tab = "mail" | "bounced" | "webhook" | "retrying";
const TABS: [Tab, Key][] = [
  ["mail", "dead.tab.mail"],
  ["bounced", "dead.tab.bounced"],
  ["webhook", "dead.tab.webhook"],
  ["retrying", "dead.tab.retrying"],
];

function tabOf(text: string | null): Tab {
  return TABS.find(([tab]) => tab === text)?.[0] ?? "mail";
}

// Each tab says its state itself.
const without = (filters: Filter[], ...names: string[]) => filters.filter((one) => !names.includes(one.name));
const first = (filters: Filter[], name: string) => filters.map((one) => (one.name === name ? { ...one, main: true } : one));

function filtersOf(tab: Tab): Filter[] {
  if (tab === "webhook") return first(without(jobFilters(), "status", "retryable", "due"), "deadReason");
  if (tab === "mail") return first(without(mailFilters(), "status"), "deadReason");
  return without(mailFilters(), "status", "deadReason");
}

const MAIL_STATUS: Record<Exclude<Tab, "webhook">, string> = { mail: "FAILED", bounced: "BOUNCED", retrying: "RETRY_PENDING" };

function Tabs({ tab }: { tab: Tab }) {
  return (
    <nav class="tabs" aria-label={t("dead.tabs")}>
      {TABS.map(([name, key]) => (
        <Link key={name} href={hrefWith({ channel: name === "mail" ? undefined : name })} aria-current={tab === name ? "page" : undefined}>
          {t(key)}
        </Link>
      ))}
    </nav>
  );
}

// Jobs that failed for good have no filter of their own; those that are tried again are left out here.
const keepJob = (job: Job) => isDeadJob(job) || job.deadReason !== undefined;

/** The filters of the address, and the state that the tab stands for. */
function tabQuery(tab: Tab, filters: URLSearchParams): URLSearchParams {
  const query = new URLSearchParams(filters);
  if (tab !== "webhook") query.set("status", MAIL_STATUS[tab]);
  else if (!query.has("deadReason")) query.set("status", "ERROR");
  return query;
}

async function deadPage(tab: Tab, filters: URLSearchParams, cursor: string | undefined, limit: number): Promise<Page<string>> {
  const query = tabQuery(tab, filters);
  query.set("limit", String(limit));
  if (cursor) query.set("cursor", cursor);
  if (tab === "webhook") {
    const { data, nextCursor } = await listJobs(query);
    return { data: data.filter(keepJob).map((job) => job.id), nextCursor };
  }
  const { data, nextCursor } = await listMessages(query);
  return { data: data.map((message) => message.messageId), nextCursor };
}

export function Dead() {
  const { query } = usePlace();
  const [round, setRound] = useState(0);
  const tab = tabOf(query.get("channel"));
  const filters = filtersOf(tab);
  const params = filterQuery(query, filters, true);
  const filter = Object.fromEntries(params);
  const changed = () => setRound((n) => n + 1);
  const head = ({ reload, loading }: { reload(): void; loading: boolean }) => (
    <Screen title={t("nav.dead")} intro={t("dead.intro")} actions={<Refresh onRefresh={reload} busy={loading} />}>
      <Tabs tab={tab} />
      {tab === "retrying" && <p class="muted">{t("dead.retrying_body")}</p>}
      <FilterBar filters={filters} metadata />
      {tab !== "retrying" && (
        <RequeueAll
          channel={tab === "webhook" ? "webhook" : "mail"}
          filter={tab === "bounced" ? { ...filter, status: "BOUNCED" } : filter}
          page={(cursor, limit) => deadPage(tab, params, cursor, limit)}
          onDone={changed}
        />
      )}
    </Screen>
  );
  const empty = <Empty title={t(params.toString() ? "list.nothing_matches" : tab === "retrying" ? "dead.none_retrying" : "dead.none")} />;
  if (tab === "webhook") {
    return (
      <PagedList<Job>
        caption={t("dead.tab.webhook")}
        listKey={tab}
        round={round}
        query={tabQuery(tab, params)}
        fetchPage={listJobs}
        keep={keepJob}
        columns={jobColumns()}
        idOf={(job) => job.id}
        bulkActs={[retryJobs()]}
        empty={empty}
      >
        {head}
      </PagedList>
    );
  }
  return (
    <PagedList<Message>
      caption={word("state.mail", MAIL_STATUS[tab])}
      listKey={tab}
      round={round}
      query={tabQuery(tab, params)}
      fetchPage={listMessages}
      columns={mailColumns()}
      idOf={(message) => message.messageId}
      bulkActs={tab === "retrying" ? [giveUpMails()] : [retryMails()]}
      empty={empty}
    >
      {head}
    </PagedList>
  );
}

