// Finds one thing in seconds: an id goes straight to it, anything else to a list with that filter in its address.
import { useState } from "preact/hooks";
import { isNotFound } from "../api/failure";
import type { Query } from "../api/http";
import { getJob, listJobs } from "../api/jobs";
import { getMessage, listMessages } from "../api/messages";
import type { Page } from "../api/types";
import { hrefOf, navigate, usePlace } from "../core/router";
import { t } from "../i18n/i18n";
import { parseSearch, type Screen, type Search } from "../logic/search";
import { tellFailure } from "./act_button";
import { toast } from "./toasts";

const GET: Record<Screen, (id: string) => Promise<unknown>> = { messages: getMessage, jobs: getJob };

const LIST: Record<Screen, (query: Query) => Promise<Page<unknown>>> = { messages: listMessages, jobs: listJobs };
// What is more likely here is tried first.
const inOrder = (near: Screen): Screen[] => (near === "jobs" ? ["jobs", "messages"] : ["messages", "jobs"]);

/** The list in which something is found; the first when none has any. */
async function screenWith(first: Screen, name: string, value: string): Promise<Screen> {
  for (const screen of inOrder(first)) {
    const { data, nextCursor } = await LIST[screen](new URLSearchParams({ [name]: value, limit: "1" }));
    if (data.length > 0 || nextCursor !== null) return screen;
  }
  return first;
}

/** A mail or a job. */
async function findById(id: string, near: Screen): Promise<string | undefined> {
  for (const screen of inOrder(near)) {
    try {
      await GET[screen](id);
      return hrefOf([screen, id]);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return undefined;
}

async function go(search: Search, near: Screen): Promise<void> {
  if (search.kind === "nothing") return;
  if (search.kind === "list") {
    navigate(hrefOf([search.screen], { [search.name]: search.value }));
    return;
  }
  if (search.kind === "metadata") {
    navigate(hrefOf([await screenWith(search.first, search.name, search.value)], { [search.name]: search.value }));
    return;
  }
  const href = await findById(search.id, near);
  if (href) {
    navigate(href);
    return;
  }
  toast({ kind: "error", text: t("search.no_such_id", { id: search.id }) });
  await go(search.otherwise, near);
}

export function SearchBox() {
  const { segments } = usePlace();
  const [text, setText] = useState("");
  const near = segments[0] === "jobs" ? "jobs" : "messages";
  const submit = (event: Event) => {
    event.preventDefault();
    void tellFailure(async () => {
      await go(parseSearch(text, near), near);
      setText("");
      return undefined;
    });
  };
  return (
    <form class="search" role="search" onSubmit={submit}>
      <label class="visually-hidden" for="search">
        {t("search.label")}
      </label>
      <input
        id="search"
        type="search"
        autocomplete="off"
        spellcheck={false}
        placeholder={t(near === "jobs" ? "search.placeholder.jobs" : "search.placeholder.messages")}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </form>
  );
}
