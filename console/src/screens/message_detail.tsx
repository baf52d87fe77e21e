// One mail: its state, why it waits, its story, its recipients, its facts, and what can be done to it.
import { abandonMessage, cancelMessage, getMessage, getMessageAttempts, getMessageEvents, retryMessage } from "../api/messages";
import { isNotFound } from "../api/failure";
import type { Message } from "../api/types";
import { useLoad } from "../core/load";
import { useRepeat } from "../core/repeat";
import { hrefOf } from "../core/router";
import { t, word } from "../i18n/i18n";
import { isFinalMail, mailActs, type Act } from "../logic/allowed_acts";
import { acceptedAt } from "../logic/tsid";
import { ActButton } from "../ui/act_button";
import { Badge } from "../ui/badge";
import { confirm } from "../ui/confirm";
import { Copied } from "../ui/copy";
import { Facts } from "../ui/facts";
import { Link } from "../ui/link";
import { Refresh } from "../ui/refresh";
import { Screen } from "../ui/screen";
import { ErrorBox, Skeleton } from "../ui/states";
import { When } from "../ui/when";
import { askWhy, Timeline, WhyNot } from "./detail_parts";
import { MessageContentBox } from "./message_content";
import { OtherKind } from "./other_kind";
import { Recipients } from "./recipients";

const LOOK_AGAIN_MILLIS = 3000;

async function load(id: string, signal: AbortSignal) {
  const [message, attempts, events, why] = await Promise.all([
    getMessage(id, signal),
    getMessageAttempts(id, signal),
    getMessageEvents(id, signal),
    askWhy(id, signal),
  ]);
  return { message, attempts: attempts.data, events: events.data, why };
}

const ACTS: Record<Act, (id: string) => Promise<void>> = { retry: retryMessage, cancel: cancelMessage, abandon: abandonMessage };

function MailActs({ message, onDone }: { message: Message; onDone(): void }) {
  const run = (act: Act) => async () => {
    const yes = await confirm({
      title: t(`act.${act}_question`),
      body: t(`act.${act}_body`),
      action: t(`act.${act}`),
      danger: act !== "retry",
    });
    if (!yes) return undefined;
    try {
      await ACTS[act](message.messageId);
    } finally {
      onDone();
    }
    return t(`act.${act}_done`);
  };
  return (
    <>
      {mailActs(message).map((act) => (
        <ActButton key={act} act={run(act)} kind={act === "retry" ? "primary" : "danger"}>
          {t(`act.${act}`)}
        </ActButton>
      ))}
    </>
  );
}

function LastError({ message }: { message: Message }) {
  const error = message.details.lastError;
  if (!error) return null;
  return (
    <div class="last-error">
      <h2>{t("last_error")}</h2>
      <p class="server-text">{error.message}</p>
      <p class="muted">
        <code>{error.reason?.code ?? error.code}</code> · {word("error_class", error.class)}
      </p>
      {error.reason && (
        <p lang="en">
          {error.reason.message} <strong>{error.reason.hint}</strong>
        </p>
      )}
    </div>
  );
}

function MailFacts({ message }: { message: Message }) {
  const { details } = message;
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">{t("facts.title")}</h2>
      <Facts
        facts={[
          [t("mail.id"), <Copied text={message.messageId} what={t("mail.id")} />],
          [t("mail.provider_id"), message.providerMessageId && <Copied text={message.providerMessageId} what={t("mail.provider_id")} />],
          [t("accepted"), <When at={message.createdAt ?? acceptedAt(message.messageId)} as="both" />],
          [t("last_update"), <When at={message.lastUpdate} as="both" />],
          [t("mail.failed_attempts"), `${details.retryCount} / ${details.maxAttempts}`],
          [t("last_attempt"), details.lastAttemptAt && <When at={details.lastAttemptAt} as="both" />],
          [t("next_attempt"), details.nextAttemptAt && <When at={details.nextAttemptAt} as="both" />],
          [t("dead.reason"), details.deadReason && word("dead", details.deadReason)],
          [t("client"), message.clientId],
          [t("pool"), message.pool && <Link href={hrefOf(["pools"])}>{message.pool}</Link>],
          [t("job.group"), message.group],
          [t("mail.tags"), message.tags?.join(", ")],
          [t("mail.campaign"), message.campaignId && <Link href={hrefOf(["messages"], { campaignId: message.campaignId })}>{message.campaignId}</Link>],
          [t("scheduled_for"), message.scheduledFor && <When at={message.scheduledFor} as="both" />],
          [t("expires_at"), message.expiresAt && <When at={message.expiresAt} as="both" />],
          [t("trace_id"), message.traceId && <Copied text={message.traceId} what={t("trace_id")} />],
          ...Object.entries(message.metadata ?? {}).map(([key, value]): [string, string] => [`${t("metadata")} ${key}`, value]),
        ]}
      />
      <p>
        <Link href={hrefOf(["audit"], { target: message.messageId })}>{t("audit.of_this")}</Link>
      </p>
    </section>
  );
}

export function MessageDetail({ id }: { id: string }) {
  const { data, error, loading, reload } = useLoad(`message ${id}`, (signal) => load(id, signal));
  const moving = data !== undefined && !isFinalMail(data.message);
  useRepeat(moving ? LOOK_AGAIN_MILLIS : null, reload);
  const title = t("mail.title", { id });
  if (error !== undefined && !data) {
    return (
      <Screen title={title}>
        {isNotFound(error) ? (
          <OtherKind id={id} not="mail" />
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
          {data && <MailActs message={data.message} onDone={reload} />}
          <Refresh onRefresh={reload} busy={loading} />
        </>
      }
    >
      {!data && <Skeleton />}
      {data && (
        <>
          <p class="state-line">
            <Badge of="mail" state={data.message.status} />
            <span class="muted">{t("state_since")} <When at={data.message.lastUpdate} /></span>
          </p>
          {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
          {moving && <WhyNot why={data.why} />}
          <LastError message={data.message} />
          <div class="detail">
            <div>
              <Timeline of="mail" events={data.events} attempts={data.attempts} />
              <Recipients recipients={data.message.details.recipients} />
              <MessageContentBox id={id} />
            </div>
            <MailFacts message={data.message} />
          </div>
        </>
      )}
    </Screen>
  );
}
