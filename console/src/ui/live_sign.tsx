// Whether what is on screen moves by itself. Nothing is shown on screens that do not.
import { useLiveState } from "../core/live";
import { t } from "../i18n/i18n";
import { Icon } from "./icons";
import { When } from "./when";

export function LiveSign() {
  const live = useLiveState();
  return (
    <span class={`live-sign ${live ? `live-${live.state}` : ""}`} role="status" data-live={live?.state ?? "none"}>
      {live?.state === "live" && (
        <>
          <Icon shape="play" /> {t("live.live")}
        </>
      )}
      {live?.state === "connecting" && (
        <>
          <Icon shape="half" /> {t("live.connecting")}
        </>
      )}
      {live?.state === "offline" && (
        <>
          <Icon shape="warn" /> {t("live.offline")} <When at={new Date(live.since).toISOString()} as="local" />
        </>
      )}
    </span>
  );
}
