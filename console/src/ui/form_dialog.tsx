// A form in a dialog: sends once, shows every fault the server names, and closes only when it was taken.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t } from "../i18n/i18n";
import { Dialog } from "./dialog";
import { ErrorBox } from "./states";

interface Props {
  title: string;
  action: string;
  send(): Promise<void>;
  onClose(): void;
  children: ComponentChildren;
  /** Many fields, side by side where there is room. */
  wide?: boolean;
}

export function FormDialog({ title, action, send, onClose, children, wide }: Props) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      await send();
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      <form onSubmit={submit}>
        <div class={wide ? "form-fields two" : "form-fields"}>{children}</div>
        {error !== null && <ErrorBox error={error} />}
        <p class="muted">{t("confirm.recorded")}</p>
        <div class="actions">
          <button type="button" class="button" onClick={onClose}>
            {t("confirm.no")}
          </button>
          <button type="submit" class="button primary" disabled={busy} aria-busy={busy}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
