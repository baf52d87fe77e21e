// Words in the reader's language. English is the table that says which keys there are; tsc refuses another language
// that lacks one. `{name}` is filled in; where a text holds "one|other" the parameter `n` decides.
import { createStore, useStore } from "../core/store";
import { readKept, writeKept } from "../core/kept";
import { de } from "./de";
import { en, type Key } from "./en";

export type { Key };
export type Language = "en" | "de";
export type Params = Record<string, string | number>;

const TABLES: Record<Language, Record<Key, string>> = { en, de };
const KEY = "eilbote.language";

function firstLanguage(): Language {
  const kept = readKept(KEY);
  if (kept === "en" || kept === "de") return kept;
  return navigator.language.toLowerCase().startsWith("de") ? "de" : "en";
}

export const language = createStore<Language>(typeof window === "undefined" ? "en" : firstLanguage());

export function startLanguage(): void {
  document.documentElement.lang = language.get();
}

export function chooseLanguage(chosen: Language): void {
  writeKept(KEY, chosen);
  language.set(chosen);
  document.documentElement.lang = chosen;
}

export function useLanguage(): Language {
  return useStore(language);
}

export function translate(to: Language, key: Key, params: Params = {}): string {
  let text = TABLES[to][key];
  const bar = text.indexOf("|");
  // Counts may come as text ("10,000+"); only 1 itself is singular, in both languages.
  if (bar >= 0) text = String(params["n"]) === "1" ? text.slice(0, bar) : text.slice(bar + 1);
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in params ? String(params[name]) : whole));
}

/** In the language of now; components that use it are drawn anew when it changes, because the whole page is. */
export function t(key: Key, params?: Params): string {
  return translate(language.get(), key, params);
}

/** The word for a value of the server's, or the value itself where there is none for it. */
export function word(prefix: string, value: string): string {
  const key = `${prefix}.${value}`;
  return key in en ? t(key as Key) : value;
}
