// Asks before an act that matters: `if (await confirm({...})) …`. The way back is not called "Cancel": that is an act here.
import type { ComponentChildren } from "preact";
import { createStore, useStore } from "../core/store";
import { t } from "../i18n/i18n";
import { Dialog } from "./dialog";

interface Question {
  title: string;
  body?: ComponentChildren;
  action: string;
  danger?: boolean;
}

const asked = createStore<(Question & { answer(yes: boolean): void }) | null>(null);

export function confirm(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    asked.set({
      ...question,
      answer(yes) {
        asked.set(null);
        resolve(yes);
      },
    });
  });
}

export function ConfirmHost() {
  const question = useStore(asked);
  if (!question) return null;
  return (
    <Dialog title={question.title} onClose={() => question.answer(false)}>
      {question.body && <div class="dialog-body">{question.body}</div>}
      <p class="muted">{t("confirm.recorded")}</p>
      <div class="actions">
        <button type="button" class="button" onClick={() => question.answer(false)}>
          {t("confirm.back")}
        </button>
        <button type="button" class={question.danger ? "button danger" : "button primary"} onClick={() => question.answer(true)}>
          {question.action}
        </button>
      </div>
    </Dialog>
  );
}
