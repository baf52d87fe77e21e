// A state as a word with its own shape and tone.
import { word } from "../i18n/i18n";
import { Icon, type Shape } from "./icons";

type Tone = "ok" | "bad" | "warn" | "busy" | "calm";

const LOOKS: Record<string, [Shape, Tone]> = {
  // mails
  QUEUED: ["clock", "calm"],
  RETRY_PENDING: ["again", "warn"],
  SENT: ["arrow", "ok"],
  DELIVERED: ["double", "ok"],
  BOUNCED: ["bounce", "bad"],
  FAILED: ["cross", "bad"],
  CANCELLED: ["stop", "calm"],
  // webhook jobs
  PENDING: ["clock", "calm"],
  IN_PROGRESS: ["half", "busy"],
  COMPLETED: ["check", "ok"],
  ERROR: ["again", "warn"],
  DEAD: ["cross", "bad"],
  // recipients
  waiting: ["clock", "calm"],
  taken: ["arrow", "ok"],
  refused: ["cross", "bad"],
  suppressed: ["stop", "warn"],
  delivered: ["double", "ok"],
  bounced: ["bounce", "bad"],
  // pools, accounts, breakers
  ACTIVE: ["check", "ok"],
  SUSPENDED: ["pause", "warn"],
  active: ["check", "ok"],
  inactive: ["pause", "warn"],
  closed: ["check", "ok"],
  open: ["cross", "bad"],
  probing: ["half", "warn"],
  // attempts
  SUCCESS: ["check", "ok"],
  CLIENT_ERROR: ["cross", "bad"],
  SERVER_ERROR: ["cross", "bad"],
  TIMEOUT: ["clock", "bad"],
  CONNECTION_ERROR: ["cross", "bad"],
  DEFERRED: ["again", "warn"],
};

/** `of` says whose state it is, because the same word may be said differently: mail, job, recipient, pool, breaker… */
export function Badge({ of, state }: { of: string; state: string }) {
  const [shape, tone] = LOOKS[state] ?? ["info", "calm"];
  return (
    <span class={`badge tone-${tone}`} data-state={state}>
      <Icon shape={shape} />
      {word(`state.${of}`, state)}
    </span>
  );
}
