// Makes a pool, or changes its limits. An empty limit means none.
import { useState } from "preact/hooks";
import { changePool, createPool } from "../api/lanes";
import type { Pool } from "../api/types";
import { t } from "../i18n/i18n";
import { Field } from "../ui/field";
import { FormDialog } from "../ui/form_dialog";
import { toast } from "../ui/toasts";

const numberOrNone = (text: string): number | null => (text.trim() === "" ? null : Number(text));

export function PoolForm({ pool, onClose, onDone }: { pool: Pool | null; onClose(): void; onDone(): void }) {
  const [code, setCode] = useState(pool?.code ?? "");
  const [name, setName] = useState(pool?.name ?? "");
  const [perMinute, setPerMinute] = useState(pool?.rateLimitPerMinute?.toString() ?? "");
  const [burst, setBurst] = useState(String(pool?.burst ?? 1));
  const [concurrency, setConcurrency] = useState(pool?.concurrency?.toString() ?? "");
  const send = async () => {
    const limits = {
      ...(name.trim() ? { name: name.trim() } : {}),
      rateLimitPerMinute: numberOrNone(perMinute),
      burst: Number(burst),
      concurrency: numberOrNone(concurrency),
    };
    if (pool) await changePool(pool.code, limits);
    else await createPool({ code: code.trim(), ...limits });
    toast({ kind: "done", text: t("pool.saved", { pool: pool?.code ?? code }) });
    onDone();
  };
  return (
    <FormDialog title={pool ? t("pool.edit_one", { pool: pool.code }) : t("pool.new")} action={t("save")} send={send} onClose={onClose}>
      {!pool && <Field label={t("pool.code")} hint={t("pool.code_hint")} required maxLength={64} pattern="[a-z0-9][a-z0-9._\-]*" value={code} onInput={(e) => setCode(e.currentTarget.value)} />}
      <Field label={t("name")} maxLength={100} value={name} onInput={(e) => setName(e.currentTarget.value)} />
      <Field label={t("pool.rate_limit")} hint={t("pool.rate_hint")} type="number" min={1} max={1000000} value={perMinute} onInput={(e) => setPerMinute(e.currentTarget.value)} />
      <Field label={t("pool.burst")} hint={t("pool.burst_hint")} type="number" min={1} max={100000} required value={burst} onInput={(e) => setBurst(e.currentTarget.value)} />
      <Field label={t("pool.concurrency")} hint={t("pool.concurrency_hint")} type="number" min={1} max={10000} value={concurrency} onInput={(e) => setConcurrency(e.currentTarget.value)} />
    </FormDialog>
  );
}
