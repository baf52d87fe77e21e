// What the server sends, by the names of docs/openapi.yaml. Fields that a later server may add are optional here.

export type MailState = "QUEUED" | "RETRY_PENDING" | "SENT" | "DELIVERED" | "BOUNCED" | "FAILED" | "CANCELLED";
export type JobState = "PENDING" | "QUEUED" | "IN_PROGRESS" | "COMPLETED" | "ERROR" | "CANCELLED";
export type DeadReason = "MaxAttemptsExceeded" | "PermanentFailure" | "Expired" | "Abandoned" | "Uncertain";

export const MAIL_STATES: MailState[] = ["QUEUED", "RETRY_PENDING", "SENT", "DELIVERED", "BOUNCED", "FAILED", "CANCELLED"];
export const JOB_STATES: JobState[] = ["PENDING", "QUEUED", "IN_PROGRESS", "COMPLETED", "ERROR", "CANCELLED"];
export const DEAD_REASONS: DeadReason[] = ["MaxAttemptsExceeded", "PermanentFailure", "Expired", "Abandoned", "Uncertain"];

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  traceId: string;
  errors?: { pointer: string; detail: string }[];
}

export interface Page<T> {
  data: T[];
  nextCursor: string | null;
}

export interface Reason {
  code: string;
  class: string;
  message: string;
  hint: string;
}

export interface Recipient {
  address: string;
  kind: "to" | "cc" | "bcc";
  status: "waiting" | "taken" | "refused" | "suppressed" | "delivered" | "bounced";
  reply?: string;
  reason?: Reason;
}

export interface Message {
  messageId: string;
  status: MailState;
  lastUpdate: string;
  providerMessageId?: string;
  details: {
    retryCount: number;
    maxAttempts: number;
    nextAttemptAt?: string;
    lastAttemptAt?: string;
    deadReason?: DeadReason;
    lastError?: {
      code: string;
      class: string;
      message: string;
      smtpCode?: number;
      enhancedCode?: string;
      reason?: Reason;
    };
    recipients: Recipient[];
  };
  // Facts that the server may tell of a message; shown when they are there.
  createdAt?: string;
  clientId?: string;
  pool?: string;
  group?: string;
  tags?: string[];
  campaignId?: string;
  metadata?: Record<string, string>;
  scheduledFor?: string;
  expiresAt?: string;
  traceId?: string;
}

export interface Attempt {
  id: string;
  attemptNumber: number;
  attemptedAt: string;
  completedAt: string;
  durationMillis: number;
  status: "SUCCESS" | "CLIENT_ERROR" | "SERVER_ERROR" | "TIMEOUT" | "CONNECTION_ERROR";
  route?: string;
  code?: string | null;
  smtpCode?: number;
  enhancedCode?: string;
  responseCode?: number | null;
  responseBody?: string | null;
  errorMessage?: string | null;
  errorStackTrace?: string | null;
  errorType?: "TRANSIENT" | "PERMANENT" | "UNKNOWN" | null;
  deferral: boolean;
}

export interface StatusEvent {
  at: string;
  from: string | null;
  to: string;
  reason: string;
  actor: string;
  traceId: string;
}

export interface MessageContent {
  from: string;
  replyTo?: string[];
  subject: string;
  text?: string;
  html?: string;
  headers?: Record<string, string>;
  attachments?: { name: string; contentType: string; bytes: number; inline: boolean }[];
}

export interface Job {
  id: string;
  externalId: string | null;
  source: string;
  kind: "EVENT" | "TASK";
  code: string;
  subject: string | null;
  eventId: string | null;
  correlationId: string | null;
  metadata: { id: string; key: string; value: string }[];
  targetUrl: string;
  headers: Record<string, string>;
  payload?: string;
  payloadContentType: string;
  dataOnly: boolean;
  serviceAccountId: string | null;
  clientId: string;
  subscriptionId: string | null;
  mode: "IMMEDIATE" | "NEXT_ON_ERROR" | "BLOCK_ON_ERROR";
  dispatchPoolId: string;
  messageGroup: string | null;
  sequence: number;
  timeoutSeconds: number;
  schemaId: string | null;
  status: JobState;
  maxRetries: number;
  retryStrategy: string;
  scheduledFor: string | null;
  nextAttemptAt: string | null;
  expiresAt: string | null;
  attemptCount: number;
  lastAttemptAt: string | null;
  completedAt: string | null;
  durationMillis?: number | null;
  lastError: string | null;
  deadReason?: DeadReason;
  idempotencyKey: string | null;
  traceId: string;
  attempts?: Attempt[];
  createdAt: string;
  updatedAt: string;
}

export interface Why {
  id: string;
  status: string;
  why: string;
}

export interface RequeueResult {
  matched: number;
  requeued: number;
  refused: number;
  notFound: number;
  dryRun: boolean;
  more: boolean;
  ids: string[];
}

export interface Pool {
  id: string;
  code: string;
  name: string;
  rateLimitPerMinute: number | null;
  burst: number;
  concurrency: number | null;
  status: "ACTIVE" | "SUSPENDED";
  updatedAt: string;
}

export interface BlockedGroup {
  channel: "mail" | "webhook";
  clientId: string;
  group: string;
  blockingJobId: string;
  lastError: string;
  since: string;
  waiting: number;
}

export interface Breaker {
  route: string;
  channel: "mail" | "webhook";
  instance: string;
  state: "closed" | "open" | "probing";
  reason?: string;
  since?: string | null;
}

export interface Suppression {
  clientId: string;
  address: string;
  reason: string;
  messageId: string | null;
  since: string;
}

export interface ServiceAccount {
  id: string;
  code: string;
  name: string;
  description: string | null;
  clientIds: string[];
  applicationId: string | null;
  active: boolean;
  webhookCredentials: {
    authType: "BEARER" | "BASIC";
    authTokenRef: string | null;
    signingSecretRef: string | null;
    signingAlgorithm: string;
    signatureStyle: "standard-webhooks" | "flowcatalyst";
    previousSecretUntil?: string | null;
    createdAt: string;
    regeneratedAt: string | null;
  };
  roles: { roleName: string; assignmentSource?: string; assignedAt?: string }[];
  lastUsedAt: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface AuditEntry {
  id: string;
  at: string;
  actor: string;
  action: string;
  target: string;
  detail: Record<string, unknown>;
  traceId: string;
}
