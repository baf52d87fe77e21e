// Login with the issuer: authorization code with PKCE, state and nonce (RFC 6749, RFC 7636, OpenID Connect Core).
// Nothing but the verifier of a login under way is in sessionStorage, and it goes when the login is done.
import type { Settings } from "../api/overview_types";
import { BASE } from "../core/router";
import { claimsOf, challengeOf, randomWord } from "./pkce";
import { idToken, refreshToken, setRenewal, startSession, type Tokens } from "./session";

interface Issuer {
  authorization_endpoint: string;
  token_endpoint: string;
  end_session_endpoint?: string;
}

interface Started {
  verifier: string;
  nonce: string;
  path: string;
}

export type LoginFault = "no_client_id" | "issuer_away" | "state" | "nonce" | "token" | "refused" | "insecure";

export class LoginFailure extends Error {
  constructor(
    readonly fault: LoginFault,
    readonly detail = "",
  ) {
    super(fault);
  }
}

// After a fresh login a 401 means that the server does not take this issuer's tokens: another login would only loop.
const FRESH_MILLIS = 20000;

const keyOf = (state: string) => `eilbote.login.${state}`;
const redirectUri = () => `${window.location.origin}${BASE}/login`;

let settings: Settings | undefined;
let issuer: Issuer | undefined;
let loggedInAt = 0;

async function discover(from: Settings): Promise<Issuer> {
  if (issuer) return issuer;
  const base = (from.issuer ?? "").replace(/\/$/, "");
  try {
    const response = await fetch(`${base}/.well-known/openid-configuration`, { credentials: "omit" });
    if (!response.ok) throw new Error(String(response.status));
    issuer = (await response.json()) as Issuer;
    return issuer;
  } catch {
    throw new LoginFailure("issuer_away", base);
  }
}

function audienceOf(from: Settings): Record<string, string> {
  return from.audience ? { audience: from.audience, resource: from.audience } : {};
}

/** Sends the browser to the issuer, to come back to the page it is on. */
export async function goToIssuer(path = window.location.pathname + window.location.search): Promise<never> {
  const from = settings;
  if (!from?.clientId) throw new LoginFailure("no_client_id");
  // Browsers have no crypto.subtle on plain http other than localhost.
  if (!window.isSecureContext) throw new LoginFailure("insecure");
  const { authorization_endpoint } = await discover(from);
  const state = randomWord();
  const started: Started = { verifier: randomWord(), nonce: randomWord(), path };
  window.sessionStorage.setItem(keyOf(state), JSON.stringify(started));
  const params = new URLSearchParams({
    response_type: "code",
    client_id: from.clientId,
    redirect_uri: redirectUri(),
    scope: from.scope ?? "openid ops.read ops.admin",
    state,
    nonce: started.nonce,
    code_challenge: await challengeOf(started.verifier),
    code_challenge_method: "S256",
    ...audienceOf(from),
  });
  const join = authorization_endpoint.includes("?") ? "&" : "?";
  window.location.assign(`${authorization_endpoint}${join}${params}`);
  return new Promise<never>(() => undefined); // the page is on its way out
}

async function askForTokens(from: Settings, form: Record<string, string>): Promise<Tokens> {
  const { token_endpoint } = await discover(from);
  let response: Response;
  try {
    response = await fetch(token_endpoint, {
      method: "POST",
      credentials: "omit",
      headers: { accept: "application/json" },
      body: new URLSearchParams({ client_id: from.clientId ?? "", ...form, ...audienceOf(from) }),
    });
  } catch {
    throw new LoginFailure("issuer_away", token_endpoint);
  }
  const answer = (await response.json().catch(() => ({}))) as Record<string, string | undefined>;
  if (!response.ok || !answer["access_token"]) {
    throw new LoginFailure("token", answer["error_description"] ?? answer["error"] ?? String(response.status));
  }
  return {
    accessToken: answer["access_token"],
    idToken: answer["id_token"],
    refreshToken: answer["refresh_token"],
  };
}

/** At /console/login: takes the code, and returns the page that the login began on. */
async function finish(from: Settings, query: URLSearchParams): Promise<string> {
  const state = query.get("state") ?? "";
  const kept = window.sessionStorage.getItem(keyOf(state));
  window.sessionStorage.removeItem(keyOf(state));
  const error = query.get("error");
  if (error) throw new LoginFailure("refused", query.get("error_description") ?? error);
  if (!kept) throw new LoginFailure("state");
  const started = JSON.parse(kept) as Started;
  const tokens = await askForTokens(from, {
    grant_type: "authorization_code",
    code: query.get("code") ?? "",
    redirect_uri: redirectUri(),
    code_verifier: started.verifier,
  });
  if (tokens.idToken && claimsOf(tokens.idToken)?.["nonce"] !== started.nonce) throw new LoginFailure("nonce");
  loggedInAt = Date.now();
  startSession(tokens);
  return started.path;
}

async function renew(): Promise<boolean> {
  const from = settings;
  if (!from) return false;
  const refresh = refreshToken();
  if (refresh) {
    try {
      const tokens = await askForTokens(from, { grant_type: "refresh_token", refresh_token: refresh });
      startSession({ refreshToken: refresh, idToken: idToken(), ...stripped(tokens) });
      return true;
    } catch {
      // The issuer's session is over: log in again.
    }
  }
  if (Date.now() - loggedInAt < FRESH_MILLIS) return false;
  await goToIssuer();
  return false;
}

function stripped(tokens: Tokens): Tokens {
  const out: Tokens = { accessToken: tokens.accessToken };
  if (tokens.idToken) out.idToken = tokens.idToken;
  if (tokens.refreshToken) out.refreshToken = tokens.refreshToken;
  return out;
}

/** Before anything is shown. Returns the path to show when a login was just finished, null to stay where we are. */
export async function logIn(from: Settings): Promise<string | null> {
  settings = from;
  if (from.auth === "off") return null;
  if (!from.clientId) throw new LoginFailure("no_client_id");
  setRenewal(renew);
  if (window.location.pathname === `${BASE}/login`) {
    const query = new URLSearchParams(window.location.search);
    if (query.has("state")) return finish(from, query);
    return goToIssuer(BASE);
  }
  return goToIssuer();
}

export async function logOut(): Promise<void> {
  const token = idToken();
  const end = issuer?.end_session_endpoint;
  const params = new URLSearchParams({ client_id: settings?.clientId ?? "" });
  if (token) params.set("id_token_hint", token);
  if (end) window.location.assign(`${end}${end.includes("?") ? "&" : "?"}${params}`);
}
