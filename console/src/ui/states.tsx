// What a screen shows instead of its data: still loading, nothing there, or an error with a way on.
import type { ComponentChildren } from "preact";
import { isAborted } from "../api/failure";
import { t } from "../i18n/i18n";
import { explain } from "../logic/explain";
import { Copied } from "./copy";
import { Icon } from "./icons";

export function Skeleton({ rows = 6 }: { rows?: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="visually-hidden">{t("loading")}</span>
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} class="skeleton-row" aria-hidden="true" />
      ))}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

export function ErrorBox({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  if (isAborted(error)) return null;
  const { title, lines, traceId } = explain(error);
  return (
    <div class="error-box" role="alert">
      <p class="error-title">
        <Icon shape="warn" /> {title}
      </p>
      {lines.length > 0 && (
        <ul>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {traceId && (
        <p class="muted">
          {t("trace_id")} <Copied text={traceId} what={t("trace_id")} />
        </p>
      )}
      {onRetry && (
        <button type="button" class="button" onClick={onRetry}>
          {t("try_again")}
        </button>
      )}
    </div>
  );
}
