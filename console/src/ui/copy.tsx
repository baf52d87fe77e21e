// Copies a text. Says so to everybody, also where the clipboard is not to be had.
import { useState } from "preact/hooks";
import { t } from "../i18n/i18n";
import { Icon } from "./icons";
import { toast } from "./toasts";

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByHand(text);
  }
}

// Without https there is no clipboard API; the old way still works.
function copyByHand(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "visually-hidden";
  // Inside an open dialog only its own content can have the focus.
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

export function CopyButton({ text, what, wide }: { text: string; what: string; wide?: boolean }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    if (await copyText(text)) {
      setCopied(true);
      setTimeout(() => setCopied(false), 2000);
    } else {
      toast({ kind: "error", text: t("copy.failed") });
    }
  };
  const label = copied ? t("copy.done") : t("copy.label", { what });
  return (
    <button type="button" class={wide ? "button" : "button quiet small"} title={label} aria-label={wide ? undefined : label} onClick={copy}>
      <Icon shape={copied ? "check" : "copy"} />
      {wide && <span>{label}</span>}
      {copied && (
        <span class="visually-hidden" role="status">
          {t("copy.done")}
        </span>
      )}
    </button>
  );
}

/** An id in a monospaced face with its button. */
export function Copied({ text, what }: { text: string; what: string }) {
  return (
    <span class="copied">
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  );
}
