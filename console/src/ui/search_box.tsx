// Finds one thing in seconds: an id goes straight to it, anything else to a list with that filter in its address.
import { useState } from "preact/hooks";
import { isNotFound } from "../api/failure";
import { getJob } from "../api/jobs";
import { getMessage } from "../api/messages";
import { hrefOf, navigate, usePlace } from "../core/router";
import { t } from "../i18n/i18n";
import { parseSearch, type Search } from "../logic/search";
import { tellFailure } from "./act_button";
import { toast } from "./toasts";

async function findById(id: string): Promise<string | undefined> {
  try {
    await getMessage(id);
    return hrefOf(["messages", id]);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  try {
    await getJob(id);
    return hrefOf(["jobs", id]);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return undefined;
}

async function go(search: Search): Promise<void> {
  if (search.kind === "nothing") return;
  if (search.kind === "list") {
    navigate(hrefOf([search.screen], { [search.name]: search.value }));
    return;
  }
  const href = await findById(search.id);
  if (href) {
    navigate(href);
    return;
  }
  toast({ kind: "error", text: t("search.no_such_id", { id: search.id }) });
  await go(search.otherwise);
}

export function SearchBox() {
  const { segments } = usePlace();
  const [text, setText] = useState("");
  const near = segments[0] === "jobs" ? "jobs" : "messages";
  const submit = (event: Event) => {
    event.preventDefault();
    void tellFailure(async () => {
      await go(parseSearch(text, near));
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
