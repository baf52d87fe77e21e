// Loads again by hand (key r).
import { t } from "../i18n/i18n";
import { Icon } from "./icons";

export function Refresh({ onRefresh, busy }: { onRefresh(): void; busy: boolean }) {
  return (
    <button type="button" class="button" data-refresh aria-busy={busy} onClick={onRefresh}>
      <Icon shape="again" /> {t("refresh")}
    </button>
  );
}
