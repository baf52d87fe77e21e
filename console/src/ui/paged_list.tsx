// A list by keyset paging: filters of the address, a table with selection, bulk acts, pager, and what to show when there
// is nothing, nothing yet, or an error.
import type { ComponentChildren } from "preact";
import type { Page } from "../api/types";
import { useLoad } from "../core/load";
import { hrefWith, usePlace } from "../core/router";
import { t } from "../i18n/i18n";
import { gatherPage, type Gathered } from "../logic/gather_page";
import { BulkBar, type BulkAct } from "./bulk_bar";
import { filterQuery, FilterBar, type Filter } from "./filters";
import { Link } from "./link";
import { Pager } from "./pager";
import { Screen } from "./screen";
import { useSelection } from "./selection";
import { Empty, ErrorBox, Skeleton } from "./states";
import { Table, type Column } from "./table";
import { Refresh } from "./refresh";

const PAGE_ROWS = 50;
const SIFTED_ROWS = 200; // where we leave some out, more are asked for at a time

interface ListProps<T> {
  caption: string;
  /** What makes this list another one; part of it is the address already. */
  listKey?: string;
  query: URLSearchParams;
  fetchPage(query: URLSearchParams, signal: AbortSignal): Promise<Page<T>>;
  keep?(row: T): boolean;
  columns: Column<T>[];
  idOf(row: T): string;
  bulkActs?: BulkAct[];
  empty: ComponentChildren;
  /** Grows when somebody else changed the rows. */
  round?: number;
  children?(list: { reload(): void; loading: boolean; gathered: Gathered<T> | undefined }): ComponentChildren;
}

export function PagedList<T>(props: ListProps<T>) {
  const { query, fetchPage, keep, columns, idOf, bulkActs } = props;
  const place = usePlace();
  const cursor = place.query.get("cursor") ?? undefined;
  const key = `${props.listKey ?? ""} ${query} ${cursor ?? ""} ${props.round ?? 0}`;
  const selection = useSelection(key);
  const { data, error, loading, reload } = useLoad(key, (signal) =>
    gatherPage(
      cursor,
      PAGE_ROWS,
      (at) => {
        const params = new URLSearchParams(query);
        params.set("limit", String(keep ? SIFTED_ROWS : PAGE_ROWS));
        if (at) params.set("cursor", at);
        return fetchPage(params, signal);
      },
      keep,
    ),
  );
  const chosen = data ? data.rows.map(idOf).filter((id) => selection.chosen.has(id)) : [];
  return (
    <>
      {props.children?.({ reload, loading, gathered: data })}
      {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
      {!data && loading && <Skeleton />}
      {data && bulkActs && <BulkBar ids={chosen} acts={bulkActs} onClear={selection.clear} onDone={reload} />}
      {data && data.rows.length > 0 && (
        <Table caption={props.caption} columns={columns} rows={data.rows} idOf={idOf} busy={loading} selection={bulkActs ? selection : undefined} />
      )}
      {data && data.rows.length === 0 && (data.nextCursor === null ? props.empty : <NothingYet gathered={data} />)}
      {data && (data.rows.length > 0 || cursor) && <Pager nextCursor={data.nextCursor} lookedThrough={data.lookedThrough} shown={data.rows.length} />}
    </>
  );
}

// The server looks at a bounded number of rows for each page; what is asked for may be further back.
function NothingYet({ gathered }: { gathered: Gathered<unknown> }) {
  return (
    <Empty title={t("list.nothing_yet")}>
      <p>{t("list.nothing_yet_body", { n: gathered.lookedThrough })}</p>
      <Link class="button primary" href={hrefWith({ cursor: gathered.nextCursor ?? undefined })}>
        {t("list.go_on")}
      </Link>
    </Empty>
  );
}

interface ScreenProps<T> extends Omit<ListProps<T>, "query" | "children" | "caption"> {
  title: string;
  filters: Filter[];
  metadata?: boolean;
  actions?: ComponentChildren;
}

export function ListScreen<T>({ title, filters, metadata, actions, ...list }: ScreenProps<T>) {
  const place = usePlace();
  const query = filterQuery(place.query, filters, metadata);
  return (
    <PagedList {...list} caption={title} query={query}>
      {({ reload, loading }) => (
        <Screen
          title={title}
          actions={
            <>
              {actions}
              <Refresh onRefresh={reload} busy={loading} />
            </>
          }
        >
          <FilterBar filters={filters} metadata={metadata} />
        </Screen>
      )}
    </PagedList>
  );
}
