// What needs attention, worst first, in words, each with the way to where it can be put right.
import type { Attention } from "../../api/overview_types";
import { t, word } from "../../i18n/i18n";
import { detailIsSaid, placeOf, sentenceOf, type Routes } from "../../logic/attention";
import { Icon, type Shape } from "../../ui/icons";
import { Link } from "../../ui/link";

const SHAPES: Record<Attention["severity"], Shape> = { critical: "cross", warning: "warn", notice: "info" };

export function AttentionList({ items, at, routes }: { items: Attention[]; at: string; routes: Routes }) {
  const now = Date.parse(at);
  return (
    <section class="attention" aria-labelledby="attention">
      <h2 id="attention">{t("attention.title")}</h2>
      {items.length === 0 ? (
        <p class="all-well">
          <Icon shape="check" /> {t("attention.none")}
        </p>
      ) : (
        <ul>
          {items.map((item) => {
            const place = placeOf(item);
            return (
              <li key={`${item.code} ${item.subject ?? ""}`} class={`attention-${item.severity}`}>
                <span class="severity">
                  <Icon shape={SHAPES[item.severity] ?? "info"} />
                  {word("severity", item.severity)}
                </span>
                <div class="grow">
                  <p>{sentenceOf(item, now, routes)}</p>
                  {item.detail && !detailIsSaid(item) && <p class="muted detail">{item.detail}</p>}
                </div>
                {place && (
                  <Link class="button" href={place.href}>
                    {place.label}
                  </Link>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}
