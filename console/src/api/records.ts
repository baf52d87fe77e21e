// What is kept about people and programs: suppressions, service accounts, the audit log.
import { requestJson, requestNothing, segment, type Query } from "./http";
import type { AuditEntry, Page, ServiceAccount, Suppression } from "./types";

export const listSuppressions = (query: Query, signal?: AbortSignal) =>
  requestJson<Page<Suppression>>("GET", "/suppressions", { query, signal });

export const addSuppression = (entry: { address: string; reason?: string; clientId?: string }) =>
  requestJson<Suppression>("POST", "/suppressions", { body: entry });

export const removeSuppression = (entry: Suppression) =>
  requestNothing("DELETE", `/suppressions/${segment(entry.address)}`, { query: { clientId: entry.clientId } });

export const listAccounts = (signal?: AbortSignal) =>
  requestJson<{ data: ServiceAccount[] }>("GET", "/service-accounts", { signal });

export interface AccountForm {
  code?: string;
  name: string;
  description: string | null;
  clientIds: string[];
  applicationId: string | null;
  webhookCredentials: {
    authType: string;
    signatureStyle: string;
    authTokenRef?: string;
    signingSecretRef?: string;
  };
  updatedAt?: string;
}

export interface NewSecrets {
  authToken?: string | null;
  signingSecret?: string | null;
  previousSecretUntil?: string | null;
}

export const createAccount = (account: AccountForm) =>
  requestJson<{ serviceAccount: ServiceAccount; webhook: NewSecrets }>("POST", "/service-accounts", { body: account });

export const changeAccount = (id: string, account: AccountForm) =>
  requestJson<ServiceAccount>("PUT", `/service-accounts/${segment(id)}`, { body: account });

export const activateAccount = (id: string) => requestNothing("POST", `/service-accounts/${segment(id)}/activate`);
export const deactivateAccount = (id: string) => requestNothing("POST", `/service-accounts/${segment(id)}/deactivate`);

export const regenerateToken = (id: string) =>
  requestJson<NewSecrets>("POST", `/service-accounts/${segment(id)}/regenerate-token`);

export const regenerateSecret = (id: string) =>
  requestJson<NewSecrets>("POST", `/service-accounts/${segment(id)}/regenerate-secret`);

export const listAudit = (query: Query, signal?: AbortSignal) =>
  requestJson<Page<AuditEntry>>("GET", "/audit", { query, signal });
