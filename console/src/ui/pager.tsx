// Older and newer. "Newer" is the browser's own way back, so that both ways agree; from a link that was sent by
// somebody there is no way back, and "first page" leads on.
import { hrefWith, usePlace } from "../core/router";
import { t } from "../i18n/i18n";
import { Link } from "./link";

interface Props {
  nextCursor: string | null;
  lookedThrough: number;
  shown: number;
}

export function Pager({ nextCursor, lookedThrough, shown }: Props) {
  const { query } = usePlace();
  const onLaterPage = query.has("cursor");
  return (
    <nav class="pager" aria-label={t("pager.label")}>
      <span class="muted">
        {t("pager.shown", { n: shown })}
        {lookedThrough > 1 && ` · ${t("pager.looked", { n: lookedThrough })}`}
      </span>
      <span class="grow" />
      {onLaterPage && (
        <Link class="button" href={hrefWith({ cursor: undefined })}>
          {t("pager.first")}
        </Link>
      )}
      {onLaterPage && (
        <button type="button" class="button" onClick={() => window.history.back()}>
          {t("pager.newer")}
        </button>
      )}
      {nextCursor !== null && (
        <Link class="button" href={hrefWith({ cursor: nextCursor })} rel="next">
          {t("pager.older")}
        </Link>
      )}
    </nav>
  );
}
