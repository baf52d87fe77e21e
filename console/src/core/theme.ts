// Light, dark, or as the system has it. The colours themselves are custom properties in styles/theme.css.
import { createStore } from "./store";
import { readKept, writeKept } from "./kept";

export type Theme = "auto" | "light" | "dark";
const KEY = "eilbote.theme";

function keptTheme(): Theme {
  const kept = readKept(KEY);
  return kept === "light" || kept === "dark" ? kept : "auto";
}

export const theme = createStore<Theme>(keptTheme());

function apply(chosen: Theme): void {
  if (chosen === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", chosen);
}

export function startTheme(): void {
  apply(theme.get());
}

export function chooseTheme(chosen: Theme): void {
  writeKept(KEY, chosen === "auto" ? null : chosen);
  apply(chosen);
  theme.set(chosen);
}
