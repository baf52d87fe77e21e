// Who changed what, newest first.
import { listAudit } from "../api/records";
import type { AuditEntry } from "../api/types";
import { hrefOf } from "../core/router";
import { t } from "../i18n/i18n";
import { changesOf } from "../logic/audit_words";
import { isId } from "../logic/tsid";
import type { Filter } from "../ui/filters";
import { Link } from "../ui/link";
import { ListScreen } from "../ui/paged_list";
import { Fold } from "../ui/reveal";
import { CopyButton } from "../ui/copy";
import { Empty } from "../ui/states";
import type { Column } from "../ui/table";
import { When } from "../ui/when";

function filters(): Filter[] {
  return [
    { name: "actor", label: t("audit.actor"), kind: "text", main: true },
    { name: "action", label: t("audit.action"), kind: "text", main: true },
    { name: "target", label: t("audit.target"), kind: "text", main: true },
    { name: "from", label: t("created.from"), kind: "time" },
    { name: "to", label: t("created.to"), kind: "time" },
  ];
}

/** Where the thing that was changed can be looked at. */
function targetPlace(target: string): string | undefined {
  if (isId(target)) return hrefOf(["messages", target]); // the detail of a mail offers the job where it is one
  const [kind, name] = [target.split(":", 1)[0], target.slice(target.indexOf(":") + 1)];
  if (kind === "pool") return hrefOf(["pools"]);
  if (kind === "account") return hrefOf(["accounts"]);
  if (kind === "breaker") return hrefOf(["routes"]);
  if (kind === "suppression") return hrefOf(["suppressions"], { address: name });
  return undefined;
}

function Target({ entry }: { entry: AuditEntry }) {
  const place = targetPlace(entry.target);
  return place ? (
    <Link class="break" data-open href={place}>
      {entry.target}
    </Link>
  ) : (
    <span class="break">{entry.target}</span>
  );
}

const LINES_IN_SIGHT = 3;

function Detail({ entry }: { entry: AuditEntry }) {
  const lines = changesOf(entry.detail);
  if (lines.length === 0) return <span class="muted nil">–</span>;
  const rest = lines.slice(LINES_IN_SIGHT);
  return (
    <div class="grow">
      {lines.slice(0, LINES_IN_SIGHT).map((line) => (
        <p key={line} class="break">
          {line}
        </p>
      ))}
      {rest.length > 0 && (
        <Fold summary={t("audit.more", { n: rest.length })}>
          {rest.map((line) => (
            <p key={line} class="break">
              {line}
            </p>
          ))}
        </Fold>
      )}
    </div>
  );
}

export function Audit() {
  const columns: Column<AuditEntry>[] = [
    { name: t("time"), cell: (e) => <When at={e.at} as="local" /> },
    { name: t("audit.actor"), cell: (e) => <Link class="break" href={hrefOf(["audit"], { actor: e.actor })}>{e.actor}</Link> },
    { name: t("audit.action"), head: true, cell: (e) => <Link class="break host" href={hrefOf(["audit"], { action: e.action })}>{e.action}</Link> },
    { name: t("audit.target"), wide: true, cell: (e) => <Target entry={e} /> },
    { name: t("audit.detail"), wide: true, cell: (e) => <Detail entry={e} /> },
    { name: t("trace_id"), cell: (e) => (e.traceId ? <CopyButton text={e.traceId} what={t("trace_id")} /> : <span class="muted nil">–</span>) },
  ];
  return (
    <ListScreen
      title={t("nav.audit")}
      filters={filters()}
      fetchPage={listAudit}
      columns={columns}
      idOf={(e) => e.id}
      empty={<Empty title={t("audit.none")} />}
    />
  );
}
