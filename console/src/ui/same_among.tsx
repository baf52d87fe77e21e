// Metadata is of mails and of jobs: from what is found in one list it is a click to the other.
import { hrefOf, usePlace } from "../core/router";
import { t } from "../i18n/i18n";
import type { Screen } from "../logic/search";
import { METADATA } from "./filters";
import { Link } from "./link";

export function SameAmong({ screen }: { screen: Screen }) {
  const { query } = usePlace();
  const asked = [...query].filter(([name]) => name.startsWith(METADATA));
  if (asked.length === 0) return null;
  return <Link href={hrefOf([screen], Object.fromEntries(asked))}>{t(screen === "jobs" ? "search.same_jobs" : "search.same_mails")}</Link>;
}
