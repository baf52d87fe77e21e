// What nothing retries by itself any more, by why; each number leads to the list behind it.
import type { Overview } from "../../api/overview_types";
import { hrefOf } from "../../core/router";
import { t, word } from "../../i18n/i18n";
import { count } from "../../logic/numbers";
import { Link } from "../../ui/link";
import { Empty } from "../../ui/states";

export function DeadByReason({ dead }: { dead: Overview["dead"] }) {
  const reasons = Object.entries(dead.byReason).filter(([, n]) => n > 0);
  return (
    <section aria-labelledby="dead">
      <h2 id="dead">
        {t("nav.dead")} <span class="muted">({count(dead.count)})</span>
      </h2>
      {reasons.length === 0 ? (
        <Empty title={t("dead.none")} />
      ) : (
        <ul class="reasons">
          {reasons.map(([reason, n]) => (
            <li key={reason}>
              <Link href={hrefOf(["dead"], { deadReason: reason })}>
                <span class="grow">{word("dead", reason)}</span>
                <strong>{count(n)}</strong>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
