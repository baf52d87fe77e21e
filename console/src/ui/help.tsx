// The keys and what the search box understands.
import { t, type Key } from "../i18n/i18n";
import { Dialog } from "./dialog";

const KEYS: [string, Key][] = [
  ["/", "help.search"],
  ["g o", "nav.overview"],
  ["g m", "nav.messages"],
  ["g j", "nav.jobs"],
  ["g d", "nav.dead"],
  ["g p", "nav.pools"],
  ["j  k", "help.move"],
  ["Enter", "help.open"],
  ["x", "help.select"],
  ["r", "help.refresh"],
  ["?", "help.help"],
  ["Esc", "help.escape"],
];

const SEARCHES: [string, Key][] = [
  ["0PXKQ8ZT3M001", "help.by_id"],
  ["ada@example.org", "help.by_recipient"],
  ["order=4711", "help.by_metadata"],
  ["tag:invoice  campaign:autumn", "help.by_prefix_mail"],
  ["ext:…  corr:…  event:…  code:…  group:…", "help.by_prefix_job"],
  ["invoice", "help.by_word"],
];

export function Help({ onClose }: { onClose(): void }) {
  return (
    <Dialog title={t("help.title")} onClose={onClose} wide>
      <div class="help">
        <section>
          <h3>{t("help.keys")}</h3>
          <dl>
            {KEYS.map(([keys, what]) => (
              <div key={keys}>
                <dt>
                  {keys.split(/ +/).map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{t(what)}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section>
          <h3>{t("help.searches")}</h3>
          <dl>
            {SEARCHES.map(([example, what]) => (
              <div key={example}>
                <dt>
                  <code>{example}</code>
                </dt>
                <dd>{t(what)}</dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
      <div class="actions">
        <button type="button" class="button primary" onClick={onClose}>
          {t("close")}
        </button>
      </div>
    </Dialog>
  );
}
