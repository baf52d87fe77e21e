// What GET /overview and each event of GET /overview/stream hold.

export interface Counts {
  accepted: number;
  delivered: number;
  failed: number;
  retried: number;
}

export type CountPoint = Counts & { at: string };

export interface PoolNow {
  pool: string;
  status: "ACTIVE" | "SUSPENDED";
  waiting: number;
  due: number;
  oldestDueAt: string | null;
  inFlight: number;
  concurrency: number | null;
  rateLimitPerMinute: number | null;
  lastError: string | null;
  lastErrorAt: string | null;
}

export interface RouteNow {
  route: string;
  instance: string;
  channel?: "mail" | "webhook";
  state: "closed" | "open" | "probing";
  reason?: string;
  since: string | null;
}

export interface Attention {
  code: string;
  severity: "critical" | "warning" | "notice";
  subject?: string | null;
  since?: string | null;
  count?: number | null;
  detail?: string | null;
}

export interface Overview {
  at: string;
  instance: string;
  instances: number;
  version: string;
  store: "postgresql" | "sqlite";
  broker: null | { connected: boolean; receiving: boolean; detail: string };
  totals: Counts;
  rates: Counts;
  seconds?: CountPoint[];
  minutes?: CountPoint[];
  attempts: { perSecond: number; p50Millis: number | null; p95Millis: number | null; p99Millis: number | null };
  pools: PoolNow[];
  routes: RouteNow[];
  dead: { count: number; byReason: Record<string, number> };
  blockedGroups: number;
  attention: Attention[];
}

export interface Settings {
  version: string;
  auth: "off" | "oidc";
  issuer?: string;
  clientId?: string;
  scope?: string;
  audience?: string;
}
