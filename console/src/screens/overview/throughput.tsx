// How much comes in, goes out and fails: the rates of now, and the last minutes or the last day as lines.
import { useMemo, useState } from "preact/hooks";
import type { CountPoint, Counts, Overview } from "../../api/overview_types";
import { minutes, seconds } from "../../core/live";
import { useStore } from "../../core/store";
import { language, t, type Key } from "../../i18n/i18n";
import { integer, millis, rate } from "../../logic/numbers";
import { clock } from "../../logic/times";
import { Chart, type Line } from "../../ui/chart";
import { Fold } from "../../ui/reveal";

const NAMES: (keyof Counts)[] = ["accepted", "delivered", "retried", "failed"];
const DASHES: Record<keyof Counts, number[]> = { accepted: [6, 3], delivered: [], retried: [2, 3], failed: [9, 3, 2, 3] };
const MINUTE = 60;
const DAY_MINUTES = 1440;
const SECONDS_SHOWN = 300;
const TABLE_ROWS = 12;

// Minutes in which nothing happened are left out by the server.
function fillMinutes(points: CountPoint[], now: number): CountPoint[] {
  const byMinute = new Map(points.map((point) => [Math.floor(Date.parse(point.at) / 1000 / MINUTE), point]));
  const last = Math.floor(now / 1000 / MINUTE);
  return Array.from({ length: DAY_MINUTES }, (_, at) => {
    const minute = last - DAY_MINUTES + 1 + at;
    const time = new Date(minute * MINUTE * 1000).toISOString();
    return byMinute.get(minute) ?? { at: time, accepted: 0, delivered: 0, failed: 0, retried: 0 };
  });
}

function dataOf(points: CountPoint[]): [number[], ...number[][]] {
  return [points.map((point) => Date.parse(point.at) / 1000), ...NAMES.map((name) => points.map((point) => point[name]))];
}

function lines(): Line[] {
  return NAMES.map((name) => ({ label: t(`rate.${name}`), colour: `--line-${name}`, dash: DASHES[name] }));
}

function Swatch({ name }: { name: keyof Counts }) {
  return (
    <svg class={`swatch line-${name}`} viewBox="0 0 28 6" width="28" height="6" aria-hidden="true">
      <path d="M1 3h26" fill="none" stroke="currentColor" stroke-width="2.5" stroke-dasharray={DASHES[name].join(" ")} />
    </svg>
  );
}

function PointsTable({ points, perMinute }: { points: CountPoint[]; perMinute: boolean }) {
  const now = Date.now();
  return (
    <Fold summary={t("chart.as_table")}>
      <div class="table-box" tabIndex={0} role="region" aria-label={t("chart.as_table")}>
        <table class="plain">
          <caption>{t(perMinute ? "chart.per_minute" : "chart.per_second")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("time")}</th>
              {NAMES.map((name) => (
                <th key={name} scope="col" class="number">
                  {t(`rate.${name}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {points.slice(-TABLE_ROWS).reverse().map((point) => (
              <tr key={point.at}>
                <th scope="row">{perMinute ? clock(Date.parse(point.at), now, language.get()) : new Date(point.at).toLocaleTimeString(language.get())}</th>
                {NAMES.map((name) => (
                  <td key={name} class="number">
                    {perMinute ? integer(point[name]) : rate(point[name])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Fold>
  );
}

function Figure({ name, value, unit, children }: { name: Key; value: string; unit?: string; children?: preact.ComponentChildren }) {
  return (
    <div class="figure">
      <dt>
        {children}
        {t(name)}
      </dt>
      <dd>
        {value}
        {unit && <small> {unit}</small>}
      </dd>
    </div>
  );
}

export function Throughput({ overview }: { overview: Overview }) {
  const [day, setDay] = useState(false);
  const bySecond = useStore(seconds);
  const byMinute = useStore(minutes);
  // The day's lines change once a minute at most; the seconds each second.
  const minuteNow = Math.floor(Date.parse(overview.at) / 60000);
  const wholeDay = useMemo(() => fillMinutes(byMinute, minuteNow * 60000), [byMinute, minuteNow]);
  const points = day ? wholeDay : bySecond;
  const data = useMemo(() => dataOf(points), [points]);
  const { attempts, rates } = overview;
  return (
    <section aria-labelledby="throughput">
      <div class="section-head">
        <h2 id="throughput">{t("throughput.title")}</h2>
        <div class="toggle" role="group" aria-label={t("throughput.span")}>
          <button type="button" class="button small" aria-pressed={!day} onClick={() => setDay(false)}>
            {t("throughput.minutes")}
          </button>
          <button type="button" class="button small" aria-pressed={day} onClick={() => setDay(true)}>
            {t("throughput.day")}
          </button>
        </div>
      </div>
      <dl class="figures">
        {NAMES.map((name) => (
          <Figure key={name} name={`rate.${name}`} value={rate(rates[name])} unit={t("per_second")}>
            <Swatch name={name} />
          </Figure>
        ))}
        <Figure name="latency.per_second" value={rate(attempts.perSecond)} unit={t("per_second")} />
        <Figure name="latency.p50" value={millis(attempts.p50Millis)} />
        <Figure name="latency.p95" value={millis(attempts.p95Millis)} />
        <Figure name="latency.p99" value={millis(attempts.p99Millis)} />
      </dl>
      <Chart label={t(day ? "chart.label.day" : "chart.label.minutes")} lines={lines()} data={data} spanSeconds={day ? DAY_MINUTES * MINUTE : SECONDS_SHOWN} />
      <PointsTable points={points} perMinute={day} />
    </section>
  );
}
