// The frame of a screen: its one h1, what stands beside it, and the title of the window. The heading takes the focus
// when the screen changes, so that keyboards and screen readers begin where the eye does.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { usePlace } from "../core/router";

interface Props {
  title: string;
  intro?: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

let firstScreen = true;

export function Screen({ title, intro, actions, children }: Props) {
  const { path } = usePlace();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Eilbote`;
  }, [title]);
  useEffect(() => {
    if (!firstScreen) heading.current?.focus({ preventScroll: true });
    firstScreen = false;
  }, [path]);
  return (
    <>
      <div class="screen-head">
        <div class="grow">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {intro && <p class="muted">{intro}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </div>
      {children}
    </>
  );
}
