// Long work in a dialog: how far it is, a way to stop it, and what came of it.
import { t } from "../i18n/i18n";
import { integer } from "../logic/numbers";
import { Dialog } from "./dialog";

interface Props {
  title: string;
  done: number;
  /** Null: nobody knows how many there are. */
  total: number | null;
  running: boolean;
  result?: string;
  lines?: string[];
  onStop(): void;
  onClose(): void;
}

export function ProgressDialog({ title, done, total, running, result, lines, onStop, onClose }: Props) {
  const text = total === null ? integer(done) : t("progress.of", { done: integer(done), total: integer(total) });
  return (
    <Dialog title={title} onClose={running ? onStop : onClose}>
      <progress class="progress" max={total ?? undefined} value={total === null && running ? undefined : done} aria-label={title} />
      <p role="status">{running ? text : (result ?? text)}</p>
      {lines && lines.length > 0 && (
        <ul class="fault-list">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      <div class="actions">
        {running ? (
          <button type="button" class="button" onClick={onStop}>
            {t("progress.stop")}
          </button>
        ) : (
          <button type="button" class="button primary" onClick={onClose}>
            {t("close")}
          </button>
        )}
      </div>
    </Dialog>
  );
}
