// What lists of mails have in common: filters, columns, acts.
import { abandonMessage, cancelMessage, retryMessage } from "../api/messages";
import { DEAD_REASONS, MAIL_STATES, type Message } from "../api/types";
import { hrefOf } from "../core/router";
import { t, word } from "../i18n/i18n";
import { acceptedAt } from "../logic/tsid";
import { Address } from "../ui/address";
import { Badge } from "../ui/badge";
import type { BulkAct } from "../ui/bulk_bar";
import type { Filter } from "../ui/filters";
import { Link } from "../ui/link";
import type { Column } from "../ui/table";
import { When } from "../ui/when";

export function mailFilters(): Filter[] {
  return [
    { name: "status", label: t("status"), kind: "choice", main: true, options: MAIL_STATES.map((s) => [s, word("state.mail", s)]) },
    { name: "recipient", label: t("mail.recipient"), kind: "text", main: true },
    { name: "tag", label: t("mail.tag"), kind: "text", main: true },
    { name: "campaignId", label: t("mail.campaign"), kind: "text" },
    { name: "pool", label: t("pool"), kind: "text" },
    { name: "clientId", label: t("client"), kind: "text" },
    { name: "deadReason", label: t("dead.reason"), kind: "choice", options: DEAD_REASONS.map((r) => [r, word("dead", r)]) },
    { name: "createdFrom", label: t("created.from"), kind: "time" },
    { name: "createdTo", label: t("created.to"), kind: "time" },
  ];
}

function recipientsOf(message: Message) {
  const [first, ...rest] = message.details.recipients;
  if (!first) return "–";
  return (
    <>
      <span class="break"><Address text={first.address} /></span>
      {rest.length > 0 && <span class="muted second">{t("mail.and_more", { n: rest.length })}</span>}
    </>
  );
}

export function lastErrorOf(message: Message) {
  const { lastError, deadReason } = message.details;
  if (!lastError && !deadReason) return <span class="muted nil">–</span>;
  const said = lastError?.message ?? "";
  const why = deadReason ? word("dead", deadReason) : "";
  // "Expired: expired" says it twice.
  const text = [why, said.toLowerCase() === deadReason?.toLowerCase() ? "" : said].filter(Boolean).join(": ");
  return (
    <span class="clip" title={text}>
      {text}
    </span>
  );
}

export function mailColumns(): Column<Message>[] {
  return [
    {
      name: t("mail.id"),
      head: true,
      cell: (m) => (
        <Link class="id" data-open href={hrefOf(["messages", m.messageId])}>
          {m.messageId}
        </Link>
      ),
    },
    { name: t("status"), cell: (m) => <Badge of="mail" state={m.status} /> },
    { name: t("mail.recipient"), wide: true, cell: recipientsOf },
    { name: t("accepted"), cell: (m) => <When at={m.createdAt ?? acceptedAt(m.messageId)} /> },
    { name: t("mail.failed_attempts"), number: true, cell: (m) => `${m.details.retryCount} / ${m.details.maxAttempts}` },
    { name: t("next_attempt"), cell: (m) => <When at={m.details.nextAttemptAt} /> },
    { name: t("last_error"), wide: true, cell: lastErrorOf },
  ];
}

export const retryMails: () => BulkAct = () => ({
  label: t("act.retry"),
  question: (n) => t("bulk.retry_question", { n }),
  act: retryMessage,
});

export const giveUpMails: () => BulkAct = () => ({
  label: t("act.abandon"),
  question: (n) => t("bulk.abandon_question", { n }),
  danger: true,
  act: abandonMessage,
});

export function mailBulkActs(): BulkAct[] {
  return [
    retryMails(),
    { label: t("act.cancel"), question: (n) => t("bulk.cancel_question", { n }), danger: true, act: cancelMessage },
    giveUpMails(),
  ];
}
