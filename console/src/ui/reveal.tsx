// Text that is shown only when asked for; long texts scroll inside their own box.
import type { ComponentChildren } from "preact";
import { t } from "../i18n/i18n";
import { prettyJson } from "../logic/json_pretty";
import { CopyButton } from "./copy";

export function TextBlock({ text, what }: { text: string; what: string }) {
  return (
    <div class="text-block">
      <pre tabIndex={0} role="region" aria-label={what}>
        {text}
      </pre>
      <CopyButton text={text} what={what} />
    </div>
  );
}

/** JSON indented with every number as it was sent; anything else as it is. Copying gives the text as it was sent. */
export function JsonBlock({ text, what }: { text: string; what: string }) {
  const pretty = prettyJson(text);
  return (
    <div class="text-block">
      <pre tabIndex={0} role="region" aria-label={what}>
        {pretty ?? text}
      </pre>
      <CopyButton text={text} what={what} />
    </div>
  );
}

export function Fold({ summary, children, open }: { summary: string; children: ComponentChildren; open?: boolean }) {
  return (
    <details class="fold" open={open}>
      <summary>{summary}</summary>
      {children}
    </details>
  );
}

export function MaybeText({ text }: { text: string | null | undefined }) {
  return text ? <>{text}</> : <span class="muted">{t("none")}</span>;
}
