// An error as words: what happened, every fault with its pointer, and the trace id to ask the log with.
import { Failure } from "../api/failure";
import { t, type Key } from "../i18n/i18n";
import { en } from "../i18n/en";

export interface Explained {
  title: string;
  lines: string[];
  traceId?: string;
}

export function explain(error: unknown): Explained {
  if (!(error instanceof Failure)) return { title: t("failure.bug"), lines: [String(error)] };
  if (error.kind === "offline") return { title: t("failure.offline"), lines: [] };
  if (error.kind === "timeout") return { title: t("failure.timeout"), lines: [] };
  if (error.kind === "unexpected" || !error.problem) {
    return { title: t("failure.unexpected", { status: error.status }), lines: [] };
  }
  return explainProblem(error, error.problem);
}

function explainProblem(error: Failure, problem: NonNullable<Failure["problem"]>): Explained {
  const kind = problem.type.split(":").pop() ?? "";
  const key = `failure.${kind}`;
  const lines = problem.errors?.length
    ? problem.errors.map((fault) => (fault.pointer ? `${fault.pointer}: ${fault.detail}` : fault.detail))
    : [problem.detail].filter((line) => line && line !== problem.title);
  if (error.status === 403 && error.scope) lines.unshift(t("failure.needs_scope", { scope: error.scope }));
  if (error.retryAfterSeconds) lines.push(t("failure.again_in", { n: error.retryAfterSeconds }));
  return { title: key in en ? t(key as Key) : problem.title, lines, traceId: problem.traceId };
}

export function explainShort(error: unknown): string {
  const { title, lines } = explain(error);
  return lines.length ? `${title}: ${lines.join("; ")}` : title;
}
