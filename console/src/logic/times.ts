// Times for people: in the reader's zone, with UTC at hand, and how long ago. Pure, so that it can be tested; ticking is
// done by ui/when.tsx.
import type { Language } from "../i18n/i18n";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

// English is read on both sides of the Atlantic, where 04/05 is not the same day: year, month, day.
const DATES: Record<Language, string> = { en: "en-CA", de: "de" };

type Unit = "second" | "minute" | "hour" | "day";

function stepOf(span: number): [Unit, number] {
  if (span < MINUTE) return ["second", SECOND];
  if (span < HOUR) return ["minute", MINUTE];
  if (span < 2 * DAY) return ["hour", HOUR];
  return ["day", DAY];
}

/** "3 min ago", "in 2 hr.", "now" within five seconds either way. */
export function relative(at: number, now: number, language: Language): string {
  const span = Math.abs(now - at);
  const format = new Intl.RelativeTimeFormat(language, { numeric: "always", style: "short" });
  if (span < 5 * SECOND) return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(0, "second");
  const [unit, size] = stepOf(span);
  const steps = Math.floor(span / size);
  return format.format(at < now ? -steps : steps, unit);
}

/** "12 min", for ages. */
export function span(millis: number, language: Language): string {
  const [unit, size] = stepOf(Math.max(0, millis));
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short" }).format(Math.floor(Math.max(0, millis) / size));
}

/** In the reader's zone, to the second; the day is left out when it is today. */
export function local(at: number, now: number, language: Language, zone?: string): string {
  const sameDay = dayOf(at, zone) === dayOf(now, zone);
  return new Intl.DateTimeFormat(DATES[language], {
    ...(sameDay ? {} : { year: "numeric", month: "2-digit", day: "2-digit" }),
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZone: zone,
  }).format(at);
}

/** "07:02", or with the day when it is not today's. */
export function clock(at: number, now: number, language: Language, zone?: string): string {
  const sameDay = dayOf(at, zone) === dayOf(now, zone);
  return new Intl.DateTimeFormat(DATES[language], {
    ...(sameDay ? {} : { month: "short", day: "numeric" }),
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone: zone,
  }).format(at);
}

/** What the mouse finds: the reader's time with its zone, and UTC. */
export function exact(at: number, language: Language, zone?: string): string {
  const here = new Intl.DateTimeFormat(DATES[language], {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
    timeZone: zone,
  }).format(at);
  return `${here} · ${utc(at)}`;
}

export function utc(at: number): string {
  return new Date(at).toISOString().replace("T", " ").replace("Z", " UTC");
}

function dayOf(at: number, zone?: string): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(at);
}
