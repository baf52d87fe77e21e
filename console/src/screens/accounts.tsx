// Service accounts: who webhooks are sent as. Secrets are shown once, when they are made.
import { useState } from "preact/hooks";
import { activateAccount, deactivateAccount, listAccounts, regenerateSecret, regenerateToken, type NewSecrets } from "../api/records";
import type { ServiceAccount } from "../api/types";
import { useMayAdminister } from "../auth/session";
import { useLoad } from "../core/load";
import { hrefOf } from "../core/router";
import { t } from "../i18n/i18n";
import { ActButton } from "../ui/act_button";
import { Badge } from "../ui/badge";
import { confirm } from "../ui/confirm";
import { Link } from "../ui/link";
import { Refresh } from "../ui/refresh";
import { Screen } from "../ui/screen";
import { Empty, ErrorBox, Skeleton } from "../ui/states";
import { Table, type Column } from "../ui/table";
import { When } from "../ui/when";
import { AccountForm } from "./account_form";
import { SecretsOnce } from "./secrets_once";

interface Shown {
  code: string;
  secrets: NewSecrets;
}

interface ActsProps {
  account: ServiceAccount;
  onEdit(): void;
  onDone(): void;
  onSecrets(shown: Shown): void;
}

// A secret that is kept elsewhere can only be made anew there.
const keptHere = (reference: string | null) => reference !== null && reference.startsWith("encrypted://");

function AccountActs({ account, onEdit, onDone, onSecrets }: ActsProps) {
  const { code, active, webhookCredentials: credentials } = account;
  const switchIt = async () => {
    if (active && !(await confirm({ title: t("account.off_question", { code }), body: t("account.off_body"), action: t("account.off"), danger: true }))) return undefined;
    await (active ? deactivateAccount : activateAccount)(account.id);
    onDone();
    return t(active ? "account.is_off" : "account.is_on", { code });
  };
  const regenerate = (what: "token" | "secret") => async () => {
    const yes = await confirm({ title: t(`account.${what}_question`, { code }), body: t(`account.${what}_body`), action: t(`account.new_${what}`), danger: true });
    if (!yes) return undefined;
    const secrets = await (what === "token" ? regenerateToken : regenerateSecret)(account.id);
    onDone();
    onSecrets({ code, secrets });
    return undefined;
  };
  return (
    <span class="row-acts many">
      <button type="button" class="button small" onClick={onEdit} aria-label={t("account.edit_one", { code })}>
        {t("edit")}
      </button>
      <ActButton small act={switchIt} label={t(active ? "account.off_one" : "account.on_one", { code })}>
        {t(active ? "account.off" : "account.on")}
      </ActButton>
      {keptHere(credentials.authTokenRef) && (
        <ActButton small act={regenerate("token")} label={t("account.token_one", { code })}>
          {t("account.new_token")}
        </ActButton>
      )}
      {keptHere(credentials.signingSecretRef) && (
        <ActButton small act={regenerate("secret")} label={t("account.secret_one", { code })}>
          {t("account.new_secret")}
        </ActButton>
      )}
    </span>
  );
}

export function Accounts() {
  const may = useMayAdminister();
  if (!may) {
    return (
      <Screen title={t("nav.accounts")}>
        <Empty title={t("needs_admin")} />
      </Screen>
    );
  }
  return <AccountList />;
}

function AccountList() {
  const { data, error, loading, reload } = useLoad("accounts", listAccounts);
  const [form, setForm] = useState<ServiceAccount | "new" | null>(null);
  const [shown, setShown] = useState<Shown | null>(null);
  const columns: Column<ServiceAccount>[] = [
    {
      name: t("account.code"),
      head: true,
      cell: (a) => (
        <>
          <Link data-open href={hrefOf(["jobs"], { serviceAccountId: a.id })}>{a.code}</Link>
          {a.name !== a.code && <span class="muted"> {a.name}</span>}
        </>
      ),
    },
    { name: t("status"), cell: (a) => <Badge of="account" state={a.active ? "active" : "inactive"} /> },
    { name: t("account.clients"), cell: (a) => (a.clientIds.length ? <span class="break">{a.clientIds.join(", ")}</span> : <span class="muted">{t("account.no_clients")}</span>) },
    { name: t("account.signs"), cell: (a) => `${a.webhookCredentials.authType}, ${a.webhookCredentials.signatureStyle}` },
    { name: t("account.last_used"), cell: (a) => <When at={a.lastUsedAt} /> },
    { name: t("last_update"), cell: (a) => <When at={a.updatedAt} /> },
    { name: t("act"), cell: (a) => <AccountActs account={a} onEdit={() => setForm(a)} onDone={reload} onSecrets={setShown} /> },
  ];
  return (
    <Screen
      title={t("nav.accounts")}
      intro={t("accounts.intro")}
      actions={
        <>
          <button type="button" class="button primary" onClick={() => setForm("new")}>
            {t("account.new")}
          </button>
          <Refresh onRefresh={reload} busy={loading} />
        </>
      }
    >
      {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
      {!data && loading && <Skeleton rows={3} />}
      {data && data.data.length === 0 && <Empty title={t("accounts.none")} />}
      {data && data.data.length > 0 && <Table caption={t("nav.accounts")} columns={columns} rows={data.data} idOf={(a) => a.id} />}
      {form && (
        <AccountForm
          account={form === "new" ? null : form}
          onClose={() => setForm(null)}
          onDone={(made) => {
            setForm(null);
            if (made) setShown(made);
            reload();
          }}
        />
      )}
      {shown && <SecretsOnce code={shown.code} secrets={shown.secrets} onClose={() => setShown(null)} />}
    </Screen>
  );
}
