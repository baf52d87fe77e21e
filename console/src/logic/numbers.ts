// Numbers for people, in the reader's language.
import { language, t } from "../i18n/i18n";

/** Counts that the server gives up on: 10,001 means "more than 10,000". */
const CAPPED = 10001;

export function integer(value: number): string {
  return new Intl.NumberFormat(language.get()).format(value);
}

export function count(value: number): string {
  return value >= CAPPED ? `${integer(CAPPED - 1)}+` : integer(value);
}

export function rate(value: number): string {
  const digits = value !== 0 && value < 10 ? 1 : 0;
  return new Intl.NumberFormat(language.get(), { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
}

/** For axes: as short as can be. */
export function tick(value: number): string {
  return new Intl.NumberFormat(language.get(), { maximumFractionDigits: 1, notation: value >= 10000 ? "compact" : "standard" }).format(value);
}

export function millis(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (value > 0 && value < 1) return "< 1 ms";
  if (value < 1000) return `${integer(Math.round(value))} ms`;
  const seconds = new Intl.NumberFormat(language.get(), { maximumFractionDigits: 1 }).format(value / 1000);
  return `${seconds} s`;
}

export function bytes(value: number): string {
  if (value < 1024) return t("unit.bytes", { n: integer(value) });
  const kib = value / 1024;
  const shown = new Intl.NumberFormat(language.get(), { maximumFractionDigits: 1 });
  return kib < 1024 ? `${shown.format(kib)} KiB` : `${shown.format(kib / 1024)} MiB`;
}
