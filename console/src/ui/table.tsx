// A table that becomes cards on a narrow screen. Rows can be reached with j and k and chosen with x (core/keys.ts looks
// for the data-row, data-open and data-select marks).
import type { ComponentChildren } from "preact";
import { t } from "../i18n/i18n";

export interface Column<T> {
  name: string;
  cell(row: T): ComponentChildren;
  /** Numbers stand at the right. */
  number?: boolean;
  /** The one that names the row. */
  head?: boolean;
  wide?: boolean;
}

export interface Selection {
  chosen: Set<string>;
  toggle(id: string): void;
  setAll(ids: string[]): void;
}

interface Props<T> {
  caption: string;
  columns: Column<T>[];
  rows: T[];
  idOf(row: T): string;
  selection?: Selection;
  busy?: boolean;
}

export function Table<T>({ caption, columns, rows, idOf, selection, busy }: Props<T>) {
  const ids = rows.map(idOf);
  const all = ids.length > 0 && ids.every((id) => selection?.chosen.has(id));
  return (
    <div class="table-box">
      {/* The roles say again what the elements mean: as cards (display: block) browsers forget it. */}
      <table role="table" aria-busy={busy}>
        <caption class="visually-hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {selection && (
              <th role="columnheader" scope="col" class="select">
                <input
                  type="checkbox"
                  aria-label={t("select.all")}
                  checked={all}
                  onChange={() => selection.setAll(all ? [] : ids)}
                />
              </th>
            )}
            {columns.map((column) => (
              <th key={column.name} role="columnheader" scope="col" class={column.number ? "number" : undefined}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => drawRow(row, columns, idOf(row), selection))}
        </tbody>
      </table>
    </div>
  );
}

function drawRow<T>(row: T, columns: Column<T>[], id: string, selection: Selection | undefined) {
  const chosen = selection?.chosen.has(id) ?? false;
  return (
    <tr key={id} role="row" data-row={id} class={chosen ? "chosen" : undefined}>
      {selection && (
        <td role="cell" class="select">
          <input
            type="checkbox"
            data-select
            aria-label={t("select.one", { id })}
            checked={chosen}
            onChange={() => selection.toggle(id)}
          />
        </td>
      )}
      {columns.map((column) => {
        const looks = [column.number ? "number" : "", column.wide ? "wide-cell" : ""].filter(Boolean).join(" ") || undefined;
        return column.head ? (
          <th key={column.name} role="rowheader" scope="row" class={looks} data-label={column.name}>
            <div class="cell">{column.cell(row)}</div>
          </th>
        ) : (
          <td key={column.name} role="cell" class={looks} data-label={column.name}>
            <div class="cell">{column.cell(row)}</div>
          </td>
        );
      })}
    </tr>
  );
}
