// Shapes that carry meaning beside words. Each state has its own outline, so that none is told by colour alone.

export type Shape = "clock" | "again" | "arrow" | "check" | "double" | "bounce" | "cross" | "stop" | "pause" | "warn" | "info" | "half" | "copy" | "play";

const PATHS: Record<Shape, string> = {
  clock: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11M8 5v3.2l2 1.3",
  again: "M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3",
  arrow: "M2.5 8h10M9 4.5L12.5 8L9 11.5",
  check: "M3 8.5l3.2 3.2L13 5",
  double: "M1.5 8.5l3 3L10 6M7.5 11l.5.5L14.5 5",
  bounce: "M13 12V8a3 3 0 0 0-3-3H3M6 2L3 5l3 3",
  cross: "M4 4l8 8M12 4l-8 8",
  stop: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11M4.2 4.2l7.6 7.6",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  play: "M5 3.5v9l7-4.5z",
  warn: "M8 2.5L14 13H2zM8 6.5v3M8 11.2v.3",
  info: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11M8 7.5v3.5M8 5v.3",
  half: "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11",
  copy: "M6 6h7v7H6zM3 10V3h7",
};

export function Icon({ shape }: { shape: Shape }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" focusable="false">
      <path d={PATHS[shape]} fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}
