// What an entry of the audit log says changed, as short lines: "rateLimitPerMinute: 600 → 1200".
import type { AuditEntry } from "../api/types";

type Values = Record<string, unknown>;

const isValues = (value: unknown): value is Values => typeof value === "object" && value !== null && !Array.isArray(value);

function text(value: unknown): string {
  if (value === null || value === undefined || value === "") return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Values inside of values by their path: {a: {b: 1}} is {"a.b": 1}. */
function flat(values: Values, path = ""): Values {
  const out: Values = {};
  for (const [name, value] of Object.entries(values)) {
    if (isValues(value)) Object.assign(out, flat(value, `${path}${name}.`));
    else out[path + name] = value;
  }
  return out;
}

export function changesOf(detail: AuditEntry["detail"]): string[] {
  const { before, after, ...rest } = detail;
  const was = isValues(before) ? flat(before) : {};
  const is = isValues(after) ? flat(after) : {};
  const lines = Object.keys({ ...was, ...is })
    // What is made new says only what it has.
    .filter((name) => text(is[name]) !== (name in was ? text(was[name]) : "–"))
    .map((name) => (name in was ? `${name}: ${text(was[name])} → ${text(is[name])}` : `${name}: ${text(is[name])}`));
  if ("from" in rest && "to" in rest) {
    lines.push(`${text(rest["from"])} → ${text(rest["to"])}`);
    delete rest["from"];
    delete rest["to"];
  }
  return [...lines, ...Object.entries(rest).map(([name, value]) => `${name}: ${text(value)}`)];
}
