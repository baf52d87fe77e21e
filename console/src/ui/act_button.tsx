// A button that changes something: off with its reason where the reader may not, busy while it runs, and says what came
// of it.
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { useMayAdminister } from "../auth/session";
import { t } from "../i18n/i18n";
import { explain } from "../logic/explain";
import { toast } from "./toasts";

interface Props {
  /** Resolves to what to say when it is done; undefined says nothing (it was called off). */
  act(): Promise<string | undefined>;
  children: ComponentChildren;
  label?: string;
  kind?: "primary" | "danger" | "quiet";
  small?: boolean;
  disabled?: boolean;
}

export async function tellFailure(act: () => Promise<string | undefined>): Promise<void> {
  try {
    const said = await act();
    if (said) toast({ kind: "done", text: said });
  } catch (error) {
    const { title, lines, traceId } = explain(error);
    toast({ kind: "error", text: title, lines: traceId ? [...lines, `${t("trace_id")} ${traceId}`] : lines });
  }
}

export function ActButton({ act, children, label, kind, small, disabled }: Props) {
  const may = useMayAdminister();
  const [busy, setBusy] = useState(false);
  const why = useId();
  const run = async () => {
    if (busy) return;
    setBusy(true);
    await tellFailure(act);
    setBusy(false);
  };
  const looks = ["button", kind, small ? "small" : ""].filter(Boolean).join(" ");
  return (
    <>
      <button
        type="button"
        class={looks}
        disabled={!may || disabled}
        aria-disabled={busy || undefined} // not disabled: the focus comes back here from the question it asks
        aria-busy={busy}
        aria-label={label}
        aria-describedby={may ? undefined : why}
        title={may ? undefined : t("needs_admin")}
        onClick={run}
      >
        {children}
      </button>
      {!may && (
        <span id={why} class="visually-hidden">
          {t("needs_admin")}
        </span>
      )}
    </>
  );
}
