// Short words about what was just done. Good news goes by itself; bad news stays until it is read.
import { createStore, useStore } from "../core/store";
import { t } from "../i18n/i18n";
import { Icon } from "./icons";

export interface Toast {
  kind: "done" | "error";
  text: string;
  lines?: string[];
}

const STAYS_MILLIS = 6000;
const SHOWN_MAX = 4;
let lastId = 0;
const toasts = createStore<(Toast & { id: number })[]>([]);

export function toast(what: Toast): void {
  const id = ++lastId;
  toasts.set([...toasts.get().slice(1 - SHOWN_MAX), { ...what, id }]);
  if (what.kind === "done") setTimeout(() => dismiss(id), STAYS_MILLIS);
}

export function dismiss(id: number): void {
  toasts.set(toasts.get().filter((one) => one.id !== id));
}

/** Returns whether there was one to close. */
export function dismissAll(): boolean {
  const any = toasts.get().length > 0;
  if (any) toasts.set([]);
  return any;
}

// Both regions are always there: a live region that appears together with its text is not read out.
export function ToastHost() {
  const shown = useStore(toasts);
  return (
    <div class="toasts">
      <div role="status" aria-live="polite">{shown.filter((one) => one.kind === "done").map(draw)}</div>
      <div role="alert">{shown.filter((one) => one.kind === "error").map(draw)}</div>
    </div>
  );
}

function draw(one: Toast & { id: number }) {
  return (
    <div key={one.id} class={`toast toast-${one.kind}`}>
      <Icon shape={one.kind === "done" ? "check" : "warn"} />
      <div class="grow">
        <p>{one.text}</p>
        {one.lines?.map((line) => <p key={line} class="muted">{line}</p>)}
      </div>
      <button type="button" class="button quiet small" aria-label={t("close")} title={t("close")} onClick={() => dismiss(one.id)}>
        <Icon shape="cross" />
      </button>
    </div>
  );
}
