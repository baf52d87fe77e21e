// Webhook jobs: find some, act on some.
import { listJobs } from "../api/jobs";
import { hrefOf, usePlace } from "../core/router";
import { t } from "../i18n/i18n";
import { Link } from "../ui/link";
import { ListScreen } from "../ui/paged_list";
import { SameAmong } from "../ui/same_among";
import { Empty } from "../ui/states";
import { jobBulkActs, jobColumns, jobFilters } from "./job_parts";

export function Jobs() {
  return (
    <ListScreen
      title={t("nav.jobs")}
      filters={jobFilters()}
      metadata
      actions={<SameAmong screen="messages" />}
      fetchPage={listJobs}
      columns={jobColumns()}
      idOf={(job) => job.id}
      bulkActs={jobBulkActs()}
      empty={<NoJobs />}
    />
  );
}

// A plain word was taken for an external id; it may have been meant as something else.
function NoJobs() {
  const { query } = usePlace();
  const external = query.get("externalId");
  const filtered = [...query.keys()].length > 0;
  return (
    <Empty title={t(filtered ? "list.nothing_matches" : "job.none")}>
      {external && (
        <p>
          <Link href={hrefOf(["jobs"], { correlationId: external })}>{t("search.as_correlation", { text: external })}</Link>
          {" · "}
          <Link href={hrefOf(["jobs"], { eventId: external })}>{t("search.as_event", { text: external })}</Link>
        </p>
      )}
      {!filtered && <p class="muted">{t("job.none_body")}</p>}
    </Empty>
  );
}
