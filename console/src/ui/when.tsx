// A time: how long ago, or by the clock of the reader; the exact one and UTC under the mouse.
import { createStore, useStore } from "../core/store";
import { language, t } from "../i18n/i18n";
import { exact, local, relative, span } from "../logic/times";

const TICK_MILLIS = 5000;
const tick = createStore(Date.now());
if (typeof window !== "undefined") {
  setInterval(() => {
    if (!document.hidden) tick.set(Date.now());
  }, TICK_MILLIS);
}

export const useNow = (): number => useStore(tick);

interface Props {
  at: string | null | undefined;
  as?: "relative" | "local" | "both";
}

export function When({ at, as = "relative" }: Props) {
  const ticked = useNow();
  if (!at) return <span class="muted nil">–</span>;
  const millis = Date.parse(at);
  // What happened since the last tick is not in the future.
  const now = millis > ticked && millis <= Date.now() ? Date.now() : ticked;
  const ago = relative(millis, now, language.get());
  const clock = local(millis, now, language.get());
  return (
    <time dateTime={at} title={exact(millis, language.get())}>
      {as === "relative" ? ago : as === "local" ? clock : `${clock} (${ago})`}
    </time>
  );
}

/** How old something is, for "oldest due". */
export function Age({ since }: { since: string | null }) {
  const now = useNow();
  if (!since) return <span class="muted nil">–</span>;
  const millis = Date.parse(since);
  return (
    <time dateTime={since} title={exact(millis, language.get())}>
      {t("time.age", { span: span(now - millis, language.get()) })}
    </time>
  );
}
