// One webhook job: its state, why it waits, its story, its request (hidden until asked for), its facts and acts.
import { useState } from "preact/hooks";
import { isNotFound } from "../api/failure";
import { cancelJob, getJob, getJobAttempts, getJobEvents, retryJob } from "../api/jobs";
import type { Job } from "../api/types";
import { useLoad } from "../core/load";
import { useRepeat } from "../core/repeat";
import { hrefOf } from "../core/router";
import { t, word } from "../i18n/i18n";
import { isDeadJob, isFinalJob, jobActs } from "../logic/allowed_acts";
import { millis } from "../logic/numbers";
import { ActButton } from "../ui/act_button";
import { confirm } from "../ui/confirm";
import { Copied } from "../ui/copy";
import { Facts } from "../ui/facts";
import { Link } from "../ui/link";
import { Refresh } from "../ui/refresh";
import { JsonBlock, TextBlock } from "../ui/reveal";
import { Screen } from "../ui/screen";
import { Empty, ErrorBox, Skeleton } from "../ui/states";
import { When } from "../ui/when";
import { askWhy, Timeline, WhyNot } from "./detail_parts";
import { JobBadge } from "./job_parts";
import { OtherKind } from "./other_kind";

const LOOK_AGAIN_MILLIS = 3000;

async function load(id: string, signal: AbortSignal) {
  const [job, events, why] = await Promise.all([getJob(id, signal), getJobEvents(id, signal), askWhy(id, signal)]);
  const attempts = job.attempts ?? (await getJobAttempts(id, signal)).data;
  return { job, attempts, events: events.data, why };
}

function JobActs({ job, onDone }: { job: Job; onDone(): void }) {
  const run = (act: "retry" | "cancel") => async () => {
    const body = act === "cancel" && job.status === "IN_PROGRESS" ? t("act.cancel_running_body") : t(`act.${act}_body`);
    const yes = await confirm({ title: t(`act.${act}_question`), body, action: t(`act.${act}`), danger: act !== "retry" });
    if (!yes) return undefined;
    try {
      await (act === "retry" ? retryJob : cancelJob)(job.id);
    } finally {
      onDone();
    }
    return t(`act.${act}_done`);
  };
  return (
    <>
      {jobActs(job).map((act) =>
        act === "abandon" ? null : (
          <ActButton key={act} act={run(act)} kind={act === "retry" ? "primary" : "danger"}>
            {t(`act.${act}`)}
          </ActButton>
        ),
      )}
    </>
  );
}

function JobFacts({ job }: { job: Job }) {
  const found = (name: string, value: string | null) => value && <Link href={hrefOf(["jobs"], { [name]: value })}>{value}</Link>;
  const copied = (label: string, value: string | null) => value && <Copied text={value} what={label} />;
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">{t("facts.title")}</h2>
      <Facts
        facts={[
          [t("job.id"), copied(t("job.id"), job.id)],
          [t("job.external_id"), copied(t("job.external_id"), job.externalId)],
          [t("job.code"), found("code", job.code)],
          [t("job.source"), found("source", job.source)],
          [t("job.kind"), word("kind", job.kind)],
          [t("job.subject"), found("subject", job.subject)],
          [t("job.event_id"), found("eventId", job.eventId)],
          [t("job.correlation_id"), found("correlationId", job.correlationId)],
          [t("job.subscription_id"), found("subscriptionId", job.subscriptionId)],
          ...job.metadata.map(({ key, value }): [string, preact.ComponentChildren] => [`${t("metadata")} ${key}`, found(`metadata.${key}`, value)]),
          [t("job.target"), copied(t("job.target"), job.targetUrl)],
          [t("client"), job.clientId],
          [t("job.account"), job.serviceAccountId],
          [t("pool"), <Link href={hrefOf(["pools"])}>{job.dispatchPoolId}</Link>],
          [t("job.mode"), word("mode", job.mode)],
          [t("job.group"), found("messageGroup", job.messageGroup)],
          [t("job.sequence"), job.messageGroup ? String(job.sequence) : null],
          [t("accepted"), <When at={job.createdAt} as="both" />],
          [t("last_update"), <When at={job.updatedAt} as="both" />],
          [t("scheduled_for"), job.scheduledFor && <When at={job.scheduledFor} as="both" />],
          [t("next_attempt"), job.nextAttemptAt && <When at={job.nextAttemptAt} as="both" />],
          [t("last_attempt"), job.lastAttemptAt && <When at={job.lastAttemptAt} as="both" />],
          [t("expires_at"), job.expiresAt && <When at={job.expiresAt} as="both" />],
          [t("completed_at"), job.completedAt && <When at={job.completedAt} as="both" />],
          [t("attempts"), `${job.attemptCount} / ${job.maxRetries}`],
          [t("job.strategy"), word("strategy", job.retryStrategy)],
          [t("job.timeout"), `${job.timeoutSeconds} s`],
          [t("job.duration"), job.durationMillis ? millis(job.durationMillis) : null],
          [t("dead.reason"), job.deadReason && word("dead", job.deadReason)],
          [t("job.schema"), job.schemaId],
          [t("job.idempotency"), copied(t("job.idempotency"), job.idempotencyKey)],
          [t("trace_id"), copied(t("trace_id"), job.traceId)],
        ]}
      />
      <p>
        <Link href={hrefOf(["audit"], { target: job.id })}>{t("audit.of_this")}</Link>
      </p>
    </section>
  );
}

function RequestBox({ job }: { job: Job }) {
  const [shown, setShown] = useState(false);
  const headers = Object.entries(job.headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <section aria-labelledby="request">
      <div class="section-head">
        <h2 id="request">{t("request.title")}</h2>
        <button type="button" class="button small" aria-expanded={shown} onClick={() => setShown(!shown)}>
          {t(shown ? "content.hide" : "request.show")}
        </button>
      </div>
      {shown && (
        <>
          {headers.length > 0 && (
            <>
              <h3>{t("content.headers")}</h3>
              <TextBlock text={headers.join("\n")} what={t("content.headers")} />
            </>
          )}
          <h3>
            {t("request.payload")} <span class="muted">{job.payloadContentType}</span>
          </h3>
          {job.payload === undefined ? <Empty title={t("content.gone")} /> : <JsonBlock text={job.payload} what={t("request.payload")} />}
        </>
      )}
    </section>
  );
}

export function JobDetail({ id }: { id: string }) {
  const { data, error, loading, reload } = useLoad(`job ${id}`, (signal) => load(id, signal));
  const moving = data !== undefined && !isFinalJob(data.job);
  useRepeat(moving ? LOOK_AGAIN_MILLIS : null, reload);
  const title = t("job.title", { id });
  if (error !== undefined && !data) {
    return (
      <Screen title={title}>
        {isNotFound(error) ? (
          <OtherKind id={id} not="job" />
        ) : (
          <ErrorBox error={error} onRetry={reload} />
        )}
      </Screen>
    );
  }
  return (
    <Screen
      title={title}
      actions={
        <>
          {data && <JobActs job={data.job} onDone={reload} />}
          <Refresh onRefresh={reload} busy={loading} />
        </>
      }
    >
      {!data && <Skeleton />}
      {data && (
        <>
          <p class="state-line">
            <JobBadge job={data.job} />
            <span class="muted">{t("state_since")} <When at={data.job.updatedAt} /></span>
          </p>
          {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
          {moving && <WhyNot why={data.why} />}
          {data.job.lastError && (
            <div class="last-error">
              <h2>{t("last_error")}</h2>
              <p class="server-text">{data.job.lastError}</p>
              {data.job.deadReason && <p class="muted">{word("dead", data.job.deadReason)}</p>}
            </div>
          )}
          <div class="detail">
            <div>
              <Timeline of="job" events={data.events} attempts={data.attempts} dead={isDeadJob(data.job)} />
              <RequestBox job={data.job} />
            </div>
            <JobFacts job={data.job} />
          </div>
        </>
      )}
    </Screen>
  );
}
