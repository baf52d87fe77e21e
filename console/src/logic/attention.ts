// What needs attention, as a sentence, and where it can be put right.
import type { Attention } from "../api/overview_types";
import { hrefOf } from "../core/href";
import { language, t, type Key } from "../i18n/i18n";
import { count } from "./numbers";
import { clock } from "./times";

// Replies of a relay that mean that the login does not work.
const LOGIN_REPLY = /^(53[045]\b|SMTP_AUTH|SMTP_53)/;
// Where a route is not on record, its name tells: those of mail are named after how they go, others are endpoints' hosts.
const MAIL_ROUTE = /^(smtp|graph|capture)\b/i;

/** The routes of the overview say which channel a route is of. */
export type Routes = { route: string; channel?: "mail" | "webhook" }[];

function routeKey(item: Attention, routes: Routes): Key {
  const channel = routes.find((one) => one.route === item.subject)?.channel;
  const mail = channel ? channel === "mail" : MAIL_ROUTE.test(item.subject ?? "");
  if (!mail) return "attention.route_down.webhook";
  return LOGIN_REPLY.test(item.detail ?? "") ? "attention.route_down.login" : "attention.route_down.mail";
}

function keyOf(item: Attention, routes: Routes): Key {
  switch (item.code) {
    case "route_down":
      return routeKey(item, routes);
    case "pool_suspended":
    case "pool_late":
    case "dead_letters":
    case "groups_blocked":
    case "broker_away":
    case "nothing_delivers":
    case "clock_skew":
    case "disk_low":
    case "certificate_expires":
    case "credential_expires":
      return `attention.${item.code}`;
    default:
      return "attention.other"; // a newer server's; better shown by its name than not at all
  }
}

/** The sentence without the detail, which is the server's own text and is shown beside it. */
export function sentenceOf(item: Attention, now: number, routes: Routes = []): string {
  const n = item.count ?? 0;
  const since = item.since ? Date.parse(item.since) : Number.NaN;
  const at = Number.isNaN(since) ? "" : clock(since, now, language.get());
  const head = t(keyOf(item, routes), { subject: item.subject ?? "", at, n: count(n), detail: item.detail ?? "", code: item.code });
  const parts = [head];
  if (item.code === "route_down" || item.code === "pool_suspended") {
    if (at) parts[0] = `${head} ${t("attention.since", { at })}`;
    if (n > 0) parts.push(t(waitingKey(item, routes), { n: count(n) }));
  }
  return `${parts.join(", ")}.`;
}

function waitingKey(item: Attention, routes: Routes): Key {
  if (item.code !== "route_down") return "attention.waiting.jobs";
  const key = routeKey(item, routes);
  return key === "attention.route_down.webhook" ? "attention.waiting.jobs" : "attention.waiting.mails";
}

/** Sentences that say the detail themselves do not need it beside them. */
export function detailIsSaid(item: Attention): boolean {
  return item.code === "clock_skew" || item.code === "disk_low";
}

export function placeOf(item: Attention): { href: string; label: string } | undefined {
  switch (item.code) {
    case "route_down":
      return { href: hrefOf(["routes"]), label: t("attention.go.routes") };
    case "pool_suspended":
    case "pool_late":
      return { href: hrefOf(["pools"]), label: t("attention.go.pools") };
    case "dead_letters":
      return { href: hrefOf(["dead"]), label: t("attention.go.dead") };
    case "groups_blocked":
      return { href: hrefOf(["groups"]), label: t("attention.go.groups") };
    case "credential_expires":
      return { href: hrefOf(["accounts"]), label: t("attention.go.accounts") };
    default:
      return undefined; // put right outside of the page; the guide says how
  }
}
