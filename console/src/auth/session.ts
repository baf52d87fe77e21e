// Who is at the page, and what they may do. The token lives in this module's memory only: never in a store of the
// browser, so that nothing outlives the page. The server decides; the page only avoids offering what would be refused.
import { createStore, useStore } from "../core/store";
import { claimsOf } from "./pkce";

export interface Tokens {
  accessToken: string;
  idToken?: string;
  refreshToken?: string;
}

export interface Session {
  auth: "off" | "oidc";
  /** Null: the token does not tell, and we learn from what is refused. */
  scopes: string[] | null;
  /** Scopes that the server said are missing. */
  refused: string[];
  who: string;
}

const session = createStore<Session>({ auth: "off", scopes: null, refused: [], who: "" });
let tokens: Tokens | undefined;
let renew: (() => Promise<boolean>) | undefined;

export const bearer = (): string | undefined => tokens?.accessToken;
export const idToken = (): string | undefined => tokens?.idToken;
export const refreshToken = (): string | undefined => tokens?.refreshToken;

function scopesOf(claims: Record<string, unknown> | undefined): string[] | null {
  const claim = claims?.["scope"] ?? claims?.["scp"];
  if (typeof claim === "string") return claim.split(" ").filter(Boolean);
  if (Array.isArray(claim)) return claim.filter((one): one is string => typeof one === "string");
  return null;
}

export function startSession(taken: Tokens): void {
  tokens = taken;
  const claims = claimsOf(taken.accessToken);
  const names = claimsOf(taken.idToken) ?? claims;
  const who = names?.["name"] ?? names?.["preferred_username"] ?? names?.["email"] ?? names?.["sub"];
  session.set({ auth: "oidc", scopes: scopesOf(claims), refused: [], who: typeof who === "string" ? who : "" });
}

/** How to get another token when the server takes this one no more; login.ts sets it. */
export function setRenewal(how: () => Promise<boolean>): void {
  renew = how;
}

// Several requests may meet a 401 at once: one renewal serves them all.
let renewing: Promise<boolean> | undefined;
export function renewToken(): Promise<boolean> {
  if (!renew) return Promise.resolve(false);
  renewing ??= renew().finally(() => {
    renewing = undefined;
  });
  return renewing;
}

export function scopeIsMissing(scope: string | undefined): void {
  const now = session.get();
  // Where the scopes are known nothing is to be learnt: it may be another client's thing that was refused.
  if (now.auth === "off" || now.scopes || !scope || now.refused.includes(scope)) return;
  session.set({ ...now, refused: [...now.refused, scope] });
}

export function useSession(): Session {
  return useStore(session);
}

export function mayAdminister({ auth, scopes, refused }: Session): boolean {
  if (auth === "off") return true;
  if (scopes) return scopes.includes("ops.admin");
  return !refused.some((one) => one.split(" ").includes("ops.admin") && !one.split(" ").includes("ops.read"));
}

export function useMayAdminister(): boolean {
  return mayAdminister(useSession());
}
