// A chart of lines over time (uPlot), drawn with the theme's colours. Each line has its own dashes, and what it shows is
// also there as a table, for those who do not see it.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { useStore } from "../core/store";
import { theme } from "../core/theme";
import { language } from "../i18n/i18n";
import { tick } from "../logic/numbers";

export interface Line {
  label: string;
  /** The name of a custom property of the theme. */
  colour: string;
  dash?: number[];
}

interface Props {
  label: string;
  lines: Line[];
  /** Seconds since 1970, then one array per line. */
  data: [number[], ...number[][]];
  /** How far back the chart reaches, also while there are fewer points. */
  spanSeconds: number;
}

const HEIGHT = 200;

const cssValue = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function timeLabels(withSeconds: boolean) {
  const format = new Intl.DateTimeFormat(language.get(), {
    hour: "2-digit",
    minute: "2-digit",
    ...(withSeconds ? { second: "2-digit" } : {}),
    hourCycle: "h23",
  });
  return (_: uPlot, splits: number[]) => splits.map((at) => format.format(at * 1000));
}

const endingAt = (end: number, seconds: number): uPlot.Range.MinMax => [end - seconds, end];

function optionsOf({ lines, spanSeconds }: Props, width: number): uPlot.Options {
  const axis = { stroke: cssValue("--muted"), grid: { stroke: cssValue("--line"), width: 1 }, ticks: { stroke: cssValue("--line"), width: 1 } };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    scales: { x: { time: true, range: (_, __, max) => endingAt(max ?? Date.now() / 1000, spanSeconds) }, y: { range: (_, __, max) => [0, Math.max(1, (max ?? 0) * 1.1)] } },
    axes: [
      { ...axis, size: 30, values: timeLabels(spanSeconds <= 900), space: width < 500 ? 70 : 90 },
      { ...axis, size: 52, values: (_, splits) => splits.map((value) => tick(value)) },
    ],
    series: [
      {},
      ...lines.map((line) => ({
        label: line.label,
        stroke: cssValue(line.colour),
        width: 1.75,
        dash: line.dash,
        points: { show: false },
      })),
    ],
  };
}

export function Chart(props: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const chosen = useStore(theme);

  useEffect(() => {
    const parent = box.current;
    if (!parent) return;
    const draw = () => {
      plot.current?.destroy();
      plot.current = new uPlot(optionsOf(props, parent.clientWidth), props.data, parent);
    };
    draw();
    const resized = new ResizeObserver(() => {
      if (plot.current && parent.clientWidth !== plot.current.width) {
        plot.current.setSize({ width: parent.clientWidth, height: plot.current.height });
      }
    });
    resized.observe(parent);
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", draw);
    return () => {
      resized.disconnect();
      dark.removeEventListener("change", draw);
      plot.current?.destroy();
      plot.current = null;
    };
    // The lines do not change while it is on screen; data comes in below.
  }, [chosen, props.spanSeconds]);

  useEffect(() => plot.current?.setData(props.data), [props.data]);

  return <div ref={box} class="chart" role="img" aria-label={props.label} />;
}
