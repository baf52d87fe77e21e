// Who answers: instances, store, broker, and what was done within a day.
import type { Overview } from "../../api/overview_types";
import { hrefOf } from "../../core/router";
import { t, word } from "../../i18n/i18n";
import { count, integer } from "../../logic/numbers";
import { Link } from "../../ui/link";
import { Facts } from "../../ui/facts";

function brokerText(broker: Overview["broker"]): string {
  if (!broker) return t("broker.none");
  const state = !broker.connected ? t("broker.away") : broker.receiving ? t("broker.connected") : t("broker.silent");
  return broker.detail ? `${state}: ${broker.detail}` : state;
}

export function ServerFacts({ overview }: { overview: Overview }) {
  const { totals } = overview;
  return (
    <section aria-labelledby="server">
      <h2 id="server">{t("server.title")}</h2>
      <Facts
        facts={[
          [t("server.instances"), integer(overview.instances)],
          [t("server.this"), overview.instance],
          [t("server.store"), word("store", overview.store)],
          [t("server.broker"), brokerText(overview.broker)],
          [t("server.blocked"), <Link href={hrefOf(["groups"])}>{count(overview.blockedGroups)}</Link>],
          [t("server.day"), t("server.totals", { accepted: integer(totals.accepted), delivered: integer(totals.delivered), retried: integer(totals.retried), failed: integer(totals.failed) })],
        ]}
      />
    </section>
  );
}
