// Filters of a list. They live in the address: every view can be sent to somebody, and the browser's way back works.
import { useEffect, useState } from "preact/hooks";
import { hrefWith, navigate, usePlace } from "../core/router";
import { language, t, word } from "../i18n/i18n";
import { local } from "../logic/times";
import { Field, Select } from "./field";
import { Icon } from "./icons";
import { Link } from "./link";

export interface Filter {
  name: string;
  label: string;
  kind: "choice" | "text" | "time" | "flag";
  options?: [value: string, label: string][];
  /** Always in sight; the others are behind "more filters". */
  main?: boolean;
}

export const METADATA = "metadata.";
const set = (name: string, value: string) => navigate(hrefWith({ [name]: value || undefined }));

// The browser's field has no zone: it is the reader's. The address and the server have UTC.
function toField(iso: string | null): string {
  if (!iso || Number.isNaN(Date.parse(iso))) return "";
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}
const fromField = (text: string): string => (text ? new Date(text).toISOString() : "");

function FilterField({ filter }: { filter: Filter }) {
  const { query } = usePlace();
  const value = query.get(filter.name) ?? "";
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  if (filter.kind === "choice" || filter.kind === "flag") {
    const options: [string, string][] = filter.kind === "flag" ? [["true", t("yes")]] : (filter.options ?? []);
    return <Select label={filter.label} name={filter.name} value={value} options={[["", t("filter.any")], ...options]} onChoose={(v) => set(filter.name, v)} />;
  }
  if (filter.kind === "time") {
    return (
      <Field label={filter.label} name={filter.name} type="datetime-local" value={toField(value)} onChange={(event) => set(filter.name, fromField(event.currentTarget.value))} />
    );
  }
  return (
    <Field
      label={filter.label}
      name={filter.name}
      value={typed}
      spellcheck={false}
      autocomplete="off"
      onInput={(event) => setTyped(event.currentTarget.value)}
      onChange={(event) => set(filter.name, event.currentTarget.value.trim())}
    />
  );
}

function MetadataField() {
  const [typed, setTyped] = useState("");
  const add = () => {
    const pair = /^\s*([^=\s]+)\s*=\s*(.+?)\s*$/.exec(typed);
    if (!pair) return;
    setTyped("");
    set(METADATA + (pair[1] as string), pair[2] as string);
  };
  return <Field label={t("filter.metadata")} name="metadata" hint={t("filter.metadata_hint")} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} onChange={add} />;
}

function Chips({ filters, metadata }: { filters: Filter[]; metadata: boolean }) {
  const { query } = usePlace();
  const active: { name: string; text: string }[] = [];
  for (const [name, value] of query) {
    const filter = filters.find((one) => one.name === name);
    if (metadata && name.startsWith(METADATA)) active.push({ name, text: `${name.slice(METADATA.length)} = ${value}` });
    else if (filter) active.push({ name, text: `${filter.label}: ${shownValue(filter, value)}` });
  }
  if (!active.length) return null;
  const none = Object.fromEntries(active.map(({ name }) => [name, undefined]));
  return (
    <ul class="chips" aria-label={t("filter.active")}>
      {active.map(({ name, text }) => (
        <li key={name}>
          <Link class="chip" href={hrefWith({ [name]: undefined })} title={t("filter.remove")} aria-label={`${t("filter.remove")}: ${text}`}>
            <span>{text}</span>
            <Icon shape="cross" />
          </Link>
        </li>
      ))}
      {active.length > 1 && (
        <li>
          <Link class="chip" href={hrefWith(none)}>
            {t("filter.remove_all")}
          </Link>
        </li>
      )}
    </ul>
  );
}

function shownValue(filter: Filter, value: string): string {
  if (filter.kind === "time") return local(Date.parse(value), 0, language.get());
  if (filter.kind === "flag") return word("flag", value);
  return filter.options?.find(([option]) => option === value)?.[1] ?? value;
}

export function FilterBar({ filters, metadata }: { filters: Filter[]; metadata?: boolean }) {
  const { query } = usePlace();
  const more = filters.filter((one) => !one.main);
  // What is in force is in sight.
  const open = more.some((one) => query.has(one.name));
  return (
    <form class="filters" aria-label={t("filter.label")} onSubmit={(event) => event.preventDefault()}>
      <div class="filter-row">
        {filters.filter((one) => one.main).map((one) => (
          <FilterField key={one.name} filter={one} />
        ))}
      </div>
      {(more.length > 0 || metadata) && (
        <details class="more-filters" open={open}>
          <summary>{t("filter.more")}</summary>
          <div class="filter-row">
            {more.map((one) => (
              <FilterField key={one.name} filter={one} />
            ))}
            {metadata && <MetadataField />}
          </div>
        </details>
      )}
      <Chips filters={filters} metadata={metadata ?? false} />
    </form>
  );
}

/** The filters of the address as the server takes them. What another list left there is not sent: it would be refused. */
export function filterQuery(query: URLSearchParams, filters: Filter[], metadata = false): URLSearchParams {
  const out = new URLSearchParams();
  for (const [name, value] of query) {
    if ((metadata && name.startsWith(METADATA)) || filters.some((one) => one.name === name)) out.append(name, value);
  }
  return out;
}
