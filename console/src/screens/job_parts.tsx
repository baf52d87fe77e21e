// What lists of webhook jobs have in common: filters, columns, acts.
import { cancelJob, retryJob } from "../api/jobs";
import { DEAD_REASONS, JOB_STATES, type Job } from "../api/types";
import { hrefOf } from "../core/router";
import { t, word } from "../i18n/i18n";
import { isDeadJob } from "../logic/allowed_acts";
import { Badge } from "../ui/badge";
import type { BulkAct } from "../ui/bulk_bar";
import type { Filter } from "../ui/filters";
import { Link } from "../ui/link";
import type { Column } from "../ui/table";
import { When } from "../ui/when";

const MODES = ["IMMEDIATE", "NEXT_ON_ERROR", "BLOCK_ON_ERROR"];

export function jobFilters(): Filter[] {
  const text = (name: string, label: string, main = false): Filter => ({ name, label, kind: "text", main });
  return [
    { name: "status", label: t("status"), kind: "choice", main: true, options: JOB_STATES.map((s) => [s, word("state.job", s)]) },
    text("externalId", t("job.external_id"), true),
    text("code", t("job.code"), true),
    text("source", t("job.source")),
    text("clientId", t("client")),
    text("correlationId", t("job.correlation_id")),
    text("subject", t("job.subject")),
    text("eventId", t("job.event_id")),
    text("subscriptionId", t("job.subscription_id")),
    text("dispatchPoolId", t("pool")),
    text("messageGroup", t("job.group")),
    text("serviceAccountId", t("job.account")),
    { name: "kind", label: t("job.kind"), kind: "choice", options: [["EVENT", word("kind", "EVENT")], ["TASK", word("kind", "TASK")]] },
    { name: "mode", label: t("job.mode"), kind: "choice", options: MODES.map((m) => [m, word("mode", m)]) },
    { name: "deadReason", label: t("dead.reason"), kind: "choice", options: DEAD_REASONS.map((r) => [r, word("dead", r)]) },
    { name: "retryable", label: t("job.retryable"), kind: "flag" },
    { name: "due", label: t("job.due"), kind: "flag" },
    { name: "createdAfter", label: t("created.from"), kind: "time" },
    { name: "createdBefore", label: t("created.to"), kind: "time" },
  ];
}

/** A job that failed for good has the same public state as one that is tried again; people need to tell them apart. */
export function JobBadge({ job }: { job: Job }) {
  return <Badge of="job" state={isDeadJob(job) ? "DEAD" : job.status} />;
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

export function jobColumns(): Column<Job>[] {
  return [
    {
      name: t("job.id"),
      head: true,
      cell: (j) => (
        <Link class="id" data-open href={hrefOf(["jobs", j.id])}>
          {j.id}
        </Link>
      ),
    },
    { name: t("status"), cell: (j) => <JobBadge job={j} /> },
    {
      name: t("job.code"),
      wide: true,
      cell: (j) => (
        <>
          <span class="break">{j.code}</span>
          {(j.externalId ?? j.subject) && <span class="muted second break">{j.externalId ?? j.subject}</span>}
        </>
      ),
    },
    { name: t("job.target"), cell: (j) => <span class="break host" title={j.targetUrl}>{hostOf(j.targetUrl)}</span> },
    { name: t("accepted"), cell: (j) => <When at={j.createdAt} /> },
    { name: t("attempts"), number: true, cell: (j) => `${j.attemptCount} / ${j.maxRetries}` },
    { name: t("next_attempt"), cell: (j) => <When at={j.nextAttemptAt} /> },
    { name: t("last_error"), wide: true, cell: (j) => (j.lastError ? <span class="clip" title={j.lastError}>{j.lastError}</span> : <span class="muted nil">–</span>) },
  ];
}

export const retryJobs: () => BulkAct = () => ({
  label: t("act.retry"),
  question: (n) => t("bulk.retry_question", { n }),
  act: retryJob,
});

export function jobBulkActs(): BulkAct[] {
  return [retryJobs(), { label: t("act.cancel"), question: (n) => t("bulk.cancel_question", { n }), danger: true, act: cancelJob }];
}
