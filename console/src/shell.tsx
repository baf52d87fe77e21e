// What surrounds every screen: skip link, header with the search, navigation, messages, dialogs, keys.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Settings } from "./api/overview_types";
import { logOut } from "./auth/login";
import { useMayAdminister, useSession } from "./auth/session";
import { useConnection } from "./core/connection";
import { startKeys } from "./core/keys";
import { hrefOf, usePlace } from "./core/router";
import { useStore } from "./core/store";
import { chooseTheme, theme, type Theme } from "./core/theme";
import { chooseLanguage, language, t, type Key, type Language } from "./i18n/i18n";
import { ConfirmHost } from "./ui/confirm";
import { Help } from "./ui/help";
import { Icon } from "./ui/icons";
import { Link } from "./ui/link";
import { LiveSign } from "./ui/live_sign";
import { SearchBox } from "./ui/search_box";
import { dismissAll, ToastHost } from "./ui/toasts";
import { When } from "./ui/when";

const SCREENS: [name: string | undefined, key: Key][] = [
  [undefined, "nav.overview"],
  ["messages", "nav.messages"],
  ["jobs", "nav.jobs"],
  ["dead", "nav.dead"],
  ["pools", "nav.pools"],
  ["groups", "nav.groups"],
  ["routes", "nav.routes"],
  ["suppressions", "nav.suppressions"],
  ["accounts", "nav.accounts"],
  ["audit", "nav.audit"],
];

function Navigation({ open, onFollow }: { open: boolean; onFollow(): void }) {
  const { segments } = usePlace();
  return (
    <nav id="navigation" class={open ? "navigation open" : "navigation"} aria-label={t("nav.label")}>
      <ul>
        {SCREENS.map(([name, key]) => (
          <li key={key}>
            <Link href={hrefOf(name ? [name] : [])} aria-current={segments[0] === name ? "page" : undefined} onClick={onFollow}>
              {t(key)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Choices() {
  const chosen = useStore(theme);
  const session = useSession();
  return (
    <div class="choices">
      <label>
        <span class="visually-hidden">{t("language")}</span>
        <select value={language.get()} onChange={(event) => chooseLanguage(event.currentTarget.value as Language)}>
          <option value="en" lang="en">
            English
          </option>
          <option value="de" lang="de">
            Deutsch
          </option>
        </select>
      </label>
      <label>
        <span class="visually-hidden">{t("theme")}</span>
        <select value={chosen} onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}>
          <option value="auto">{t("theme.auto")}</option>
          <option value="light">{t("theme.light")}</option>
          <option value="dark">{t("theme.dark")}</option>
        </select>
      </label>
      {session.auth === "oidc" && (
        <span class="who">
          <span class="who-name">{session.who}</span>
          <button type="button" class="button quiet small" onClick={() => void logOut()}>
            {t("log_out")}
          </button>
        </span>
      )}
    </div>
  );
}

function Notices() {
  const { lostAt } = useConnection();
  const may = useMayAdminister();
  return (
    <>
      <div role="status">
        {lostAt !== null && (
          <p class="notice notice-bad">
            <Icon shape="warn" /> {t("offline.since")} <When at={new Date(lostAt).toISOString()} as="local" />. {t("offline.trying")}
          </p>
        )}
      </div>
      {!may && (
        <p class="notice">
          <Icon shape="info" /> {t("read_only")}
        </p>
      )}
    </>
  );
}

export function Shell({ settings, children }: { settings: Settings; children: ComponentChildren }) {
  const [menu, setMenu] = useState(false);
  const [help, setHelp] = useState(false);
  useEffect(
    () =>
      startKeys({
        help: () => setHelp(true),
        escape: () => {
          if (!dismissAll()) setMenu(false);
        },
      }),
    [],
  );
  return (
    <>
      <a class="skip" href="#main">
        {t("skip")}
      </a>
      <header class="header">
        <button type="button" class="button menu-button" aria-expanded={menu} aria-controls="navigation" onClick={() => setMenu(!menu)}>
          {t("menu")}
        </button>
        <Link class="brand" href={hrefOf([])}>
          <img src="/console/icon.svg" alt="" width="22" height="22" />
          <span>Eilbote</span>
        </Link>
        <SearchBox />
        <LiveSign />
        <Choices />
        <button type="button" class="button quiet help-button" aria-label={t("help.title")} title={t("help.title")} onClick={() => setHelp(true)}>
          ?
        </button>
      </header>
      <div class="columns">
        <Navigation open={menu} onFollow={() => setMenu(false)} />
        <main id="main" tabIndex={-1}>
          <Notices />
          {children}
          <footer class="footer muted">
            {t("footer", { version: settings.version })}
          </footer>
        </main>
      </div>
      {help && <Help onClose={() => setHelp(false)} />}
      <ConfirmHost />
      <ToastHost />
    </>
  );
}
