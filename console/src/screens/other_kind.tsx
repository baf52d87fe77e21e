// An id that is not of this kind may be of the other one: links from the audit log do not say which. Goes there by itself.
import { useEffect, useState } from "preact/hooks";
import { getJob } from "../api/jobs";
import { getMessage } from "../api/messages";
import { hrefOf, navigate } from "../core/router";
import { t } from "../i18n/i18n";
import { Empty, Skeleton } from "../ui/states";

export function OtherKind({ id, not }: { id: string; not: "mail" | "job" }) {
  const [gone, setGone] = useState(false);
  useEffect(() => {
    const [get, screen] = not === "mail" ? [getJob, "jobs"] : [getMessage, "messages"];
    get(id).then(
      () => navigate(hrefOf([screen, id]), { replace: true }),
      () => setGone(true),
    );
  }, [id]);
  return gone ? <Empty title={t(not === "mail" ? "mail.gone" : "job.gone")} /> : <Skeleton rows={2} />;
}
