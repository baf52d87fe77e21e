// Makes a service account, or changes one. References to secrets kept elsewhere are optional; without them Eilbote makes
// the secrets.
import { useState } from "preact/hooks";
import { changeAccount, createAccount, type NewSecrets } from "../api/records";
import type { ServiceAccount } from "../api/types";
import { t } from "../i18n/i18n";
import { Field, Select } from "../ui/field";
import { FormDialog } from "../ui/form_dialog";
import { toast } from "../ui/toasts";

interface Props {
  account: ServiceAccount | null;
  onClose(): void;
  onDone(made: { code: string; secrets: NewSecrets } | null): void;
}

const listOf = (text: string) => text.split(/[\s,]+/).filter(Boolean);

export function AccountForm({ account, onClose, onDone }: Props) {
  const credentials = account?.webhookCredentials;
  const [code, setCode] = useState(account?.code ?? "");
  const [name, setName] = useState(account?.name ?? "");
  const [description, setDescription] = useState(account?.description ?? "");
  const [clients, setClients] = useState(account?.clientIds.join(", ") ?? "");
  const [application, setApplication] = useState(account?.applicationId ?? "");
  const [authType, setAuthType] = useState<string>(credentials?.authType ?? "BEARER");
  const [style, setStyle] = useState<string>(credentials?.signatureStyle ?? "standard-webhooks");
  const [tokenRef, setTokenRef] = useState("");
  const [secretRef, setSecretRef] = useState("");

  const send = async () => {
    const form = {
      name: name.trim(),
      description: description.trim() || null,
      clientIds: listOf(clients),
      applicationId: application.trim() || null,
      webhookCredentials: {
        authType,
        signatureStyle: style,
        ...(tokenRef.trim() ? { authTokenRef: tokenRef.trim() } : {}),
        ...(secretRef.trim() ? { signingSecretRef: secretRef.trim() } : {}),
      },
    };
    if (account) {
      // Only if it is still the one that was read.
      await changeAccount(account.id, { ...form, updatedAt: account.updatedAt });
      toast({ kind: "done", text: t("account.saved", { code: account.code }) });
      onDone(null);
    } else {
      const made = await createAccount({ code: code.trim(), ...form });
      onDone({ code: made.serviceAccount.code, secrets: made.webhook });
    }
  };
  const refHint = account ? t("account.ref_hint_change") : t("account.ref_hint");
  return (
    <FormDialog title={account ? t("account.edit_one", { code: account.code }) : t("account.new")} action={t("save")} send={send} onClose={onClose} wide>
      {!account && <Field label={t("account.code")} hint={t("account.code_hint")} required maxLength={50} pattern="[a-z0-9]+(-[a-z0-9]+)*" value={code} onInput={(e) => setCode(e.currentTarget.value)} />}
      <Field label={t("name")} required maxLength={100} value={name} onInput={(e) => setName(e.currentTarget.value)} />
      <Field label={t("description")} maxLength={500} value={description} onInput={(e) => setDescription(e.currentTarget.value)} />
      <Field label={t("account.clients")} hint={t("account.clients_hint")} value={clients} onInput={(e) => setClients(e.currentTarget.value)} />
      <Field label={t("account.application")} maxLength={255} value={application} onInput={(e) => setApplication(e.currentTarget.value)} />
      <Select label={t("account.auth_type")} value={authType} options={[["BEARER", "Bearer"], ["BASIC", "Basic"]]} onChoose={setAuthType} />
      <Select label={t("account.style")} value={style} options={[["standard-webhooks", "Standard Webhooks"], ["flowcatalyst", "FlowCatalyst"]]} onChoose={setStyle} />
      <Field label={t("account.token_ref")} hint={refHint} spellcheck={false} autocomplete="off" value={tokenRef} onInput={(e) => setTokenRef(e.currentTarget.value)} />
      <Field label={t("account.secret_ref")} hint={refHint} spellcheck={false} autocomplete="off" value={secretRef} onInput={(e) => setSecretRef(e.currentTarget.value)} />
    </FormDialog>
  );
}
