// The keyboard: one listener for the page. Lists need nothing but the marks that ui/table.tsx makes, because the keys
// move the browser's own focus.
import { hrefOf, navigate } from "./router";

export interface KeyActs {
  help(): void;
  escape(): void;
}

const SCREENS: Record<string, string[]> = {
  o: [],
  m: ["messages"],
  j: ["jobs"],
  d: ["dead"],
  p: ["pools"],
};
const CHORD_MILLIS = 1500;

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return target.type !== "checkbox";
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}

function moveRow(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")];
  if (!rows.length) return;
  const now = rows.findIndex((row) => row.contains(document.activeElement));
  const next = now < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, now + step));
  const row = rows[next];
  const target = row?.querySelector<HTMLElement>("[data-open]") ?? row?.querySelector<HTMLElement>("a, button, input");
  target?.focus();
  row?.scrollIntoView({ block: "nearest" });
}

function selectRow(): void {
  const row = document.activeElement?.closest("[data-row]");
  row?.querySelector<HTMLInputElement>("[data-select]")?.click();
}

function openRow(): boolean {
  const active = document.activeElement;
  if (!active || active.matches("a, button, summary")) return false; // the browser opens it
  const link = active.closest("[data-row]")?.querySelector<HTMLElement>("[data-open]");
  link?.click();
  return link !== undefined && link !== null;
}

export function startKeys(acts: KeyActs): () => void {
  let chordAt = 0;
  const listen = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === "Escape") {
      if (document.querySelector("dialog[open]")) return; // the dialog's own
      if (isTyping(event.target)) (event.target as HTMLElement).blur();
      else acts.escape();
      return;
    }
    if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
    const inChord = Date.now() - chordAt < CHORD_MILLIS;
    chordAt = 0;
    if (inChord) {
      const segments = SCREENS[event.key];
      if (!segments) return;
      event.preventDefault();
      navigate(hrefOf(segments));
      return;
    }
    switch (event.key) {
      case "g":
        chordAt = Date.now();
        return;
      case "/":
        event.preventDefault();
        document.querySelector<HTMLInputElement>("#search")?.focus();
        return;
      case "j":
      case "k":
        event.preventDefault();
        moveRow(event.key === "j" ? 1 : -1);
        return;
      case "x":
        selectRow();
        return;
      case "r":
        document.querySelector<HTMLElement>("[data-refresh]")?.click();
        return;
      case "Enter":
        if (openRow()) event.preventDefault();
        return;
      case "?":
        event.preventDefault();
        acts.help();
        return;
    }
  };
  window.addEventListener("keydown", listen);
  return () => window.removeEventListener("keydown", listen);
}
