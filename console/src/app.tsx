// What is shown: the login while it is under way, then the shell with the screen of the address.
import { useEffect, useState } from "preact/hooks";
import { getSettings } from "./api/overview";
import type { Settings } from "./api/overview_types";
import { logIn } from "./auth/login";
import { BASE, navigate, usePlace } from "./core/router";
import { useLanguage } from "./i18n/i18n";
import { Accounts } from "./screens/accounts";
import { Audit } from "./screens/audit";
import { Dead } from "./screens/dead";
import { Groups } from "./screens/groups";
import { JobDetail } from "./screens/job_detail";
import { Jobs } from "./screens/jobs";
import { LoginProblem } from "./screens/login_problem";
import { MessageDetail } from "./screens/message_detail";
import { Messages } from "./screens/messages";
import { NoSuchScreen } from "./screens/no_such_screen";
import { OverviewScreen } from "./screens/overview";
import { Pools } from "./screens/pools";
import { Routes } from "./screens/routes";
import { Suppressions } from "./screens/suppressions";
import { Shell } from "./shell";
import { Skeleton } from "./ui/states";

export function App() {
  // Another language draws everything anew.
  const language = useLanguage();
  const [settings, setSettings] = useState<Settings | null>(null);
  const [error, setError] = useState<unknown>(null);

  const start = async () => {
    setError(null);
    try {
      const found = await getSettings();
      const path = await logIn(found);
      if (path !== null) navigate(path, { replace: true });
      setSettings(found);
    } catch (failure) {
      setError(failure);
    }
  };
  useEffect(() => void start(), []);

  const startAnew = () => {
    // A code is good for one login only.
    if (window.location.pathname === `${BASE}/login`) navigate(`${BASE}/login`, { replace: true });
    void start();
  };
  if (error) return <LoginProblem key={language} error={error} onRetry={startAnew} />;
  if (!settings) {
    return (
      <main class="alone">
        <Skeleton rows={3} />
      </main>
    );
  }
  return (
    <Shell key={language} settings={settings}>
      <CurrentScreen />
    </Shell>
  );
}

function CurrentScreen() {
  const { segments } = usePlace();
  const [name, id] = segments;
  if (segments.length > 2) return <NoSuchScreen />;
  if (id !== undefined) {
    if (name === "messages") return <MessageDetail key={id} id={id} />;
    if (name === "jobs") return <JobDetail key={id} id={id} />;
    return <NoSuchScreen />;
  }
  switch (name) {
    case undefined:
    case "login": // a login that is over
      return <OverviewScreen />;
    case "messages":
      return <Messages />;
    case "jobs":
      return <Jobs />;
    case "dead":
      return <Dead />;
    case "pools":
      return <Pools />;
    case "groups":
      return <Groups />;
    case "routes":
      return <Routes />;
    case "suppressions":
      return <Suppressions />;
    case "accounts":
      return <Accounts />;
    case "audit":
      return <Audit />;
    default:
      return <NoSuchScreen />;
  }
}
