// The content of a mail: only when asked for, because each look is on the audit record. HTML is shown as its source.
import { useState } from "preact/hooks";
import { Failure } from "../api/failure";
import { getMessageContent } from "../api/messages";
import type { MessageContent } from "../api/types";
import { useMayAdminister } from "../auth/session";
import { t } from "../i18n/i18n";
import { bytes } from "../logic/numbers";
import { Facts } from "../ui/facts";
import { TextBlock } from "../ui/reveal";
import { Empty, ErrorBox } from "../ui/states";

function Content({ content }: { content: MessageContent }) {
  const headers = Object.entries(content.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  return (
    <>
      <Facts
        facts={[
          [t("content.from"), content.from],
          [t("content.reply_to"), content.replyTo?.join(", ")],
          [t("content.subject"), content.subject],
        ]}
      />
      {content.text && (
        <>
          <h3>{t("content.text")}</h3>
          <TextBlock text={content.text} what={t("content.text")} />
        </>
      )}
      {content.html && (
        <>
          <h3>{t("content.html")}</h3>
          <TextBlock text={content.html} what={t("content.html")} />
        </>
      )}
      {headers.length > 0 && (
        <>
          <h3>{t("content.headers")}</h3>
          <TextBlock text={headers.join("\n")} what={t("content.headers")} />
        </>
      )}
      {content.attachments && content.attachments.length > 0 && (
        <>
          <h3>{t("content.attachments")}</h3>
          <ul>
            {content.attachments.map((one, at) => (
              <li key={at}>
                {one.name} <span class="muted">{one.contentType}, {bytes(one.bytes)}{one.inline ? `, ${t("content.inline")}` : ""}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

export function MessageContentBox({ id }: { id: string }) {
  const may = useMayAdminister();
  const [content, setContent] = useState<MessageContent | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const show = async () => {
    setBusy(true);
    setError(null);
    try {
      setContent(await getMessageContent(id));
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  const gone = error instanceof Failure && error.status === 410;
  return (
    <section aria-labelledby="content">
      <div class="section-head">
        <h2 id="content">{t("content.title")}</h2>
        {content && (
          <button type="button" class="button small" onClick={() => setContent(null)}>
            {t("content.hide")}
          </button>
        )}
      </div>
      {!content && !gone && (
        <p>
          <button type="button" class="button" disabled={!may || busy} aria-busy={busy} title={may ? undefined : t("needs_admin")} onClick={show}>
            {t("content.show")}
          </button>{" "}
          {!may && <span class="muted">{t("needs_admin")}</span>}
        </p>
      )}
      {gone && <Empty title={t("content.gone")} />}
      {error !== null && !gone && <ErrorBox error={error} />}
      {content && <Content content={content} />}
    </section>
  );
}
