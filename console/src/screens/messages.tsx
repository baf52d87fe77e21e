// Mails: find some, act on some.
import { listMessages } from "../api/messages";
import { hrefOf, usePlace } from "../core/router";
import { t } from "../i18n/i18n";
import { Link } from "../ui/link";
import { ListScreen } from "../ui/paged_list";
import { SameAmong } from "../ui/same_among";
import { Empty } from "../ui/states";
import { mailBulkActs, mailColumns, mailFilters } from "./message_parts";

export function Messages() {
  return (
    <ListScreen
      title={t("nav.messages")}
      filters={mailFilters()}
      metadata
      actions={<SameAmong screen="jobs" />}
      fetchPage={listMessages}
      columns={mailColumns()}
      idOf={(message) => message.messageId}
      bulkActs={mailBulkActs()}
      empty={<NoMails />}
    />
  );
}

function NoMails() {
  const { query } = usePlace();
  const tag = query.get("tag");
  const filtered = [...query.keys()].length > 0;
  return (
    <Empty title={t(filtered ? "list.nothing_matches" : "mail.none")}>
      {tag && (
        <p>
          <Link href={hrefOf(["messages"], { campaignId: tag })}>{t("search.as_campaign", { text: tag })}</Link>
          {" · "}
          <Link href={hrefOf(["jobs"], { externalId: tag })}>{t("search.as_external", { text: tag })}</Link>
        </p>
      )}
      {!filtered && <p class="muted">{t("mail.none_body")}</p>}
    </Empty>
  );
}
