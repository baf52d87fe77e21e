// When the page cannot begin: the server is away, or the login did not come about. Says what is wrong and what to do.
import { LoginFailure } from "../auth/login";
import { t } from "../i18n/i18n";
import { explain } from "../logic/explain";
import { Icon } from "../ui/icons";

export function LoginProblem({ error, onRetry }: { error: unknown; onRetry(): void }) {
  const said = error instanceof LoginFailure ? { title: t("login.failed"), lines: [t(`login.${error.fault}`), error.detail] } : explain(error);
  return (
    <main class="alone">
      <h1>Eilbote</h1>
      <div class="error-box" role="alert">
        <p class="error-title">
          <Icon shape="warn" /> {said.title}
        </p>
        {said.lines.filter(Boolean).map((line) => (
          <p key={line}>{line}</p>
        ))}
        <button type="button" class="button primary" onClick={onRetry}>
          {t("try_again")}
        </button>
      </div>
    </main>
  );
}
