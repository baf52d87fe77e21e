// What the details of a mail and of a webhook job have in common: the reason it waits, the timeline, the acts.
import { getWhy } from "../api/jobs";
import type { Attempt, StatusEvent } from "../api/types";
import { t, word } from "../i18n/i18n";
import { millis } from "../logic/numbers";
import { mergeTimeline, type Moment } from "../logic/timeline";
import { Badge } from "../ui/badge";
import { CopyButton } from "../ui/copy";
import { Icon } from "../ui/icons";
import { Fold, JsonBlock, TextBlock } from "../ui/reveal";
import { Empty } from "../ui/states";
import { When } from "../ui/when";

/** In one sentence of the server's why it is not running now. */
export function WhyNot({ why }: { why: string | undefined }) {
  if (!why) return null;
  return (
    <div class="why">
      <h2>
        <Icon shape="info" /> {t("why.title")}
      </h2>
      <p lang="en">{withTimes(sentence(why))}</p>
    </div>
  );
}

// The server's times are UTC; the reader's are their own.
const TIME = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

function withTimes(text: string) {
  return text.split(TIME).map((part, at) => (at % 2 ? <When key={at} at={part} as="both" /> : part));
}

/** The sentence is an extra: what else is known of the job is shown without it too. */
export async function askWhy(id: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await getWhy(id, signal)).why;
  } catch {
    return undefined;
  }
}

function sentence(text: string): string {
  const upper = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(upper) ? upper : `${upper}.`;
}

function codesOf(attempt: Attempt): string {
  const smtp = [attempt.smtpCode, attempt.enhancedCode].filter(Boolean).join(" ");
  const http = attempt.responseCode ? `HTTP ${attempt.responseCode}` : "";
  return [smtp && `SMTP ${smtp}`, http, !smtp && !http ? attempt.code : ""].filter(Boolean).join(" · ");
}

function AttemptItem({ attempt }: { attempt: Attempt }) {
  const facts = [codesOf(attempt), attempt.errorType ? word("error_type", attempt.errorType) : ""].filter(Boolean);
  return (
    <>
      <p class="moment-head">
        <strong>{t("attempt.number", { n: attempt.attemptNumber })}</strong>
        <Badge of="attempt" state={attempt.deferral ? "DEFERRED" : attempt.status} />
        {attempt.route && <span>{t("attempt.by", { route: attempt.route })}</span>}
        <span class="muted">{millis(attempt.durationMillis)}</span>
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </p>
      {attempt.deferral && <p class="muted">{t("attempt.deferral")}</p>}
      {attempt.errorMessage && <p class="server-text">{attempt.errorMessage}</p>}
      {attempt.responseBody && (
        <Fold summary={t("attempt.response")}>
          <JsonBlock text={attempt.responseBody} what={t("attempt.response")} />
        </Fold>
      )}
      {attempt.errorStackTrace && (
        <Fold summary={t("attempt.more")}>
          <TextBlock text={attempt.errorStackTrace} what={t("attempt.more")} />
        </Fold>
      )}
    </>
  );
}

function EventItem({ event, of, state }: { event: StatusEvent; of: string; state: string }) {
  return (
    <>
      <p class="moment-head">
        {event.from !== null && event.from !== event.to && (
          <>
            <span class="muted">{word(`state.${of}`, event.from)}</span>
            <span aria-hidden="true">→</span>
            <span class="visually-hidden">{t("event.to")}</span>
          </>
        )}
        <Badge of={of} state={state} />
        <span>{word("event_reason", event.reason)}</span>
        <span class="muted">{t("event.by", { actor: word("actor", event.actor) })}</span>
        {event.traceId && <CopyButton text={event.traceId} what={t("trace_id")} />}
      </p>
    </>
  );
}

interface TimelineProps {
  of: "mail" | "job";
  events: StatusEvent[];
  attempts: Attempt[];
  /** A webhook job that failed for good: its last event's public state does not tell that. */
  dead?: boolean;
}

export function Timeline({ events, attempts, of, dead }: TimelineProps) {
  const last = events[events.length - 1];
  const moments = mergeTimeline(events, attempts);
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">{t("timeline.title")}</h2>
      {moments.length === 0 && <Empty title={t("timeline.none")} />}
      <ol class="timeline">
        {moments.map((moment) => (
          <li key={keyOf(moment)} class={"attempt" in moment ? "moment attempt" : "moment event"}>
            <span class="moment-time">
              <When at={moment.at} as="local" />
            </span>
            <div class="moment-body">
              {"attempt" in moment ? <AttemptItem attempt={moment.attempt} /> : <EventItem event={moment.event} of={of} state={dead && moment.event === last ? "DEAD" : moment.event.to} />}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

function keyOf(moment: Moment): string {
  return "attempt" in moment ? `attempt ${moment.attempt.id}` : `event ${moment.at} ${moment.event.to} ${moment.event.reason}`;
}
