// What needs attention, as a sentence, and where it can be put right.
import type { Attention } from "../api/overview_types";
import { hrefOf } from "../core/href";
import { language, t, type Key } from "../i18n/i18n";
import { count } from "./numbers";
import { clock } from "./times";

// Replies of a relay that mean that the login does not work.
const LOGIN_REPLY = /^(53[045]\b|SMTP_AUTH|SMTP_53)/;
// Routes of mail are named after how they go; everything else is an endpoint's host.
const MAIL_ROUTE = /^(smtp|graph|capture)\b/i;

function routeKey(item: Attention): Key {
  const mail = item.channel ? item.channel === "mail" : MAIL_ROUTE.test(item.subject ?? "");
  if (!mail) return "attention.route_down.webhook";
  return LOGIN_REPLY.test(item.detail ?? "") ? "attention.route_down.login" : "attention.route_down.mail";
}

function keyOf(item: Attention): Key {
  switch (item.code) {
    case "route_down":
      return routeKey(item);
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
export function sentenceOf(item: Attention, now: number): string {
  const n = item.count ?? 0;
  const since = item.since ? Date.parse(item.since) : Number.NaN;
  const at = Number.isNaN(since) ? "" : clock(since, now, language.get());
  const head = t(keyOf(item), { subject: item.subject ?? "", at, n: count(n), detail: item.detail ?? "", code: item.code });
  const parts = [head];
  if (item.code === "route_down" || item.code === "pool_suspended") {
    if (at) parts[0] = `${head} ${t("attention.since", { at })}`;
    if (n > 0) parts.push(t(waitingKey(item), { n: count(n) }));
  }
  return `${parts.join(", ")}.`;
}

function waitingKey(item: Attention): Key {
  if (item.code !== "route_down") return "attention.waiting.jobs";
  const key = routeKey(item);
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
