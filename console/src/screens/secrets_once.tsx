// New secrets, shown this once. Escape does not close it: what is gone cannot be had again.
import { useState } from "preact/hooks";
import type { NewSecrets } from "../api/records";
import { t } from "../i18n/i18n";
import { CopyButton } from "../ui/copy";
import { Dialog } from "../ui/dialog";
import { Icon } from "../ui/icons";
import { When } from "../ui/when";

function Secret({ label, value }: { label: string; value: string }) {
  return (
    <div class="secret">
      <p class="muted">{label}</p>
      <code class="break">{value}</code>
      <CopyButton wide text={value} what={label} />
    </div>
  );
}

export function SecretsOnce({ code, secrets, onClose }: { code: string; secrets: NewSecrets; onClose(): void }) {
  const [sure, setSure] = useState(false);
  return (
    <Dialog title={t("secrets.title", { code })} onClose={() => undefined}>
      <p class="notice notice-warn">
        <Icon shape="warn" /> {t("secrets.once")}
      </p>
      {secrets.authToken && <Secret label={t("secrets.token")} value={secrets.authToken} />}
      {secrets.signingSecret && <Secret label={t("secrets.signing")} value={secrets.signingSecret} />}
      {!secrets.authToken && !secrets.signingSecret && <p>{t("secrets.none")}</p>}
      {secrets.previousSecretUntil && (
        <p>
          {t("secrets.old_until")} <When at={secrets.previousSecretUntil} as="local" />.
        </p>
      )}
      <label class="check">
        <input type="checkbox" checked={sure} onChange={() => setSure(!sure)} /> {t("secrets.kept")}
      </label>
      <div class="actions">
        <button type="button" class="button primary" disabled={!sure} onClick={onClose}>
          {t("close")}
        </button>
      </div>
    </Dialog>
  );
}
