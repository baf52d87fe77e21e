// An address that means nothing here.
import { hrefOf } from "../core/router";
import { t } from "../i18n/i18n";
import { Link } from "../ui/link";
import { Screen } from "../ui/screen";

export function NoSuchScreen() {
  return (
    <Screen title={t("no_such.title")}>
      <p>
        <Link href={hrefOf([])}>{t("no_such.home")}</Link>
      </p>
    </Screen>
  );
}
