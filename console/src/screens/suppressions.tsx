// Addresses no mail goes to: look for one, put one on, take one off.
import { useState } from "preact/hooks";
import { addSuppression, listSuppressions, removeSuppression } from "../api/records";
import type { Suppression } from "../api/types";
import { useMayAdminister } from "../auth/session";
import { hrefOf } from "../core/router";
import { t } from "../i18n/i18n";
import { ActButton } from "../ui/act_button";
import { Address } from "../ui/address";
import { confirm } from "../ui/confirm";
import { Field } from "../ui/field";
import type { Filter } from "../ui/filters";
import { FormDialog } from "../ui/form_dialog";
import { Link } from "../ui/link";
import { ListScreen } from "../ui/paged_list";
import { Empty } from "../ui/states";
import type { Column } from "../ui/table";
import { toast } from "../ui/toasts";
import { When } from "../ui/when";

function filters(): Filter[] {
  return [
    { name: "address", label: t("address"), kind: "text", main: true },
    { name: "clientId", label: t("client"), kind: "text", main: true },
  ];
}

function RemoveButton({ entry, onDone }: { entry: Suppression; onDone(): void }) {
  const act = async () => {
    const yes = await confirm({ title: t("suppression.remove_question", { address: entry.address }), body: t("suppression.remove_body"), action: t("remove"), danger: true });
    if (!yes) return undefined;
    await removeSuppression(entry);
    onDone();
    return t("suppression.removed", { address: entry.address });
  };
  return (
    <ActButton small kind="danger" act={act} label={t("suppression.remove_one", { address: entry.address })}>
      {t("remove")}
    </ActButton>
  );
}

function AddForm({ onClose, onDone }: { onClose(): void; onDone(): void }) {
  const [address, setAddress] = useState("");
  const [reason, setReason] = useState("");
  const [clientId, setClientId] = useState("");
  const send = async () => {
    await addSuppression({
      address: address.trim(),
      ...(reason.trim() ? { reason: reason.trim() } : {}),
      ...(clientId.trim() ? { clientId: clientId.trim() } : {}),
    });
    toast({ kind: "done", text: t("suppression.added", { address: address.trim() }) });
    onDone();
  };
  return (
    <FormDialog title={t("suppression.new")} action={t("add")} send={send} onClose={onClose}>
      <Field label={t("address")} required value={address} onInput={(e) => setAddress(e.currentTarget.value)} />
      <Field label={t("reason")} hint={t("suppression.reason_hint")} maxLength={500} value={reason} onInput={(e) => setReason(e.currentTarget.value)} />
      <Field label={t("client")} hint={t("suppression.client_hint")} value={clientId} onInput={(e) => setClientId(e.currentTarget.value)} />
    </FormDialog>
  );
}

export function Suppressions() {
  const may = useMayAdminister();
  const [round, setRound] = useState(0);
  const [adding, setAdding] = useState(false);
  const changed = () => setRound((n) => n + 1);
  const columns: Column<Suppression>[] = [
    { name: t("address"), head: true, wide: true, cell: (s) => <Link class="break" data-open href={hrefOf(["messages"], { recipient: s.address })}><Address text={s.address} /></Link> },
    { name: t("client"), cell: (s) => <span class="break">{s.clientId}</span> },
    { name: t("reason"), wide: true, cell: (s) => <span class="clip" title={s.reason}>{s.reason || "–"}</span> },
    { name: t("suppression.bounced"), cell: (s) => (s.messageId ? <Link class="id" href={hrefOf(["messages", s.messageId])}>{s.messageId}</Link> : <span class="muted">{t("suppression.by_hand")}</span>) },
    { name: t("since"), cell: (s) => <When at={s.since} /> },
    { name: t("act"), cell: (s) => <RemoveButton entry={s} onDone={changed} /> },
  ];
  return (
    <>
      <ListScreen
        title={t("nav.suppressions")}
        filters={filters()}
        fetchPage={listSuppressions}
        columns={columns}
        idOf={(s) => `${s.clientId} ${s.address}`}
        round={round}
        empty={<Empty title={t("suppression.none")} />}
        actions={
          <button type="button" class="button primary" disabled={!may} title={may ? undefined : t("needs_admin")} onClick={() => setAdding(true)}>
            {t("suppression.new")}
          </button>
        }
      />
      {adding && (
        <AddForm
          onClose={() => setAdding(false)}
          onDone={() => {
            setAdding(false);
            changed();
          }}
        />
      )}
    </>
  );
}
