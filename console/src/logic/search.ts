// What the search box makes of what is typed. Nothing is searched by content; every search is by an index.
import { isId } from "./tsid";

export type Screen = "messages" | "jobs";

export type Search =
  | { kind: "nothing" }
  | { kind: "id"; id: string; otherwise: Search }
  /** Of mails or of jobs: whichever has it, and `first` when both do. */
  | { kind: "metadata"; first: Screen; name: string; value: string }
  | { kind: "list"; screen: Screen; name: string; value: string };

// `ext:4711` says the field by name.
const PREFIXES: Record<string, { screen: Screen; name: string }> = {
  to: { screen: "messages", name: "recipient" },
  recipient: { screen: "messages", name: "recipient" },
  tag: { screen: "messages", name: "tag" },
  campaign: { screen: "messages", name: "campaignId" },
  ext: { screen: "jobs", name: "externalId" },
  corr: { screen: "jobs", name: "correlationId" },
  event: { screen: "jobs", name: "eventId" },
  code: { screen: "jobs", name: "code" },
  source: { screen: "jobs", name: "source" },
  group: { screen: "jobs", name: "messageGroup" },
};
// The same word for either, by another name.
const POOL: Record<Screen, string> = { messages: "pool", jobs: "dispatchPoolId" };

/** `near` is the screen it is typed on: a plain word means a tag among mails, an external id among jobs. */
export function parseSearch(typed: string, near: Screen): Search {
  const text = typed.trim();
  if (text === "") return { kind: "nothing" };
  const plain = parseWord(text, near);
  return isId(text) ? { kind: "id", id: text.toUpperCase(), otherwise: plain } : plain;
}

function parseWord(text: string, near: Screen): Search {
  const prefixed = /^([a-z]+):\s*(\S.*)$/.exec(text);
  const named = prefixed ? PREFIXES[prefixed[1] as string] : undefined;
  if (prefixed?.[1] === "pool") return { kind: "list", screen: near, name: POOL[near], value: prefixed[2] as string };
  if (prefixed && named) return { kind: "list", ...named, value: prefixed[2] as string };
  const pair = /^([^\s=@]+)=(.+)$/.exec(text);
  if (pair) return { kind: "metadata", first: near, name: `metadata.${pair[1]}`, value: pair[2] as string };
  if (/^[^\s@]+@[^\s@]+$/.test(text)) return { kind: "list", screen: "messages", name: "recipient", value: text };
  if (near === "jobs") return { kind: "list", screen: "jobs", name: "externalId", value: text };
  return { kind: "list", screen: "messages", name: "tag", value: text };
}
