// What became of each recipient, and what to do about it.
import type { Recipient } from "../api/types";
import { hrefOf } from "../core/router";
import { t, word } from "../i18n/i18n";
import { Address } from "../ui/address";
import { Badge } from "../ui/badge";
import { Link } from "../ui/link";
import { Table, type Column } from "../ui/table";

function reasonOf(recipient: Recipient) {
  const { reason, reply } = recipient;
  if (!reason && !reply) return <span class="muted nil">–</span>;
  return (
    <>
      {reply && <span class="server-text">{reply}</span>}
      {reason && (
        <span lang="en" class="reason">
          {reason.message} <strong>{reason.hint}</strong>
        </span>
      )}
      {recipient.status === "suppressed" && <Link href={hrefOf(["suppressions"], { address: recipient.address })}>{t("recipient.see_suppression")}</Link>}
    </>
  );
}

export function Recipients({ recipients }: { recipients: Recipient[] }) {
  const columns: Column<Recipient>[] = [
    { name: t("address"), head: true, wide: true, cell: (r) => <Link class="break" href={hrefOf(["messages"], { recipient: r.address })}><Address text={r.address} /></Link> },
    { name: t("recipient.kind"), cell: (r) => word("recipient_kind", r.kind) },
    { name: t("status"), cell: (r) => <Badge of="recipient" state={r.status} /> },
    { name: t("recipient.reply"), wide: true, cell: reasonOf },
  ];
  return (
    <section aria-labelledby="recipients">
      <h2 id="recipients">{t("recipient.title", { n: recipients.length })}</h2>
      <Table caption={t("recipient.caption")} columns={columns} rows={recipients} idOf={(r) => `${r.kind} ${r.address}`} />
    </section>
  );
}
