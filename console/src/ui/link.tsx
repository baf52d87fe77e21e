// A link inside the console: a real address, followed without loading the page anew.
import type { ComponentChildren, JSX } from "preact";
import { navigate } from "../core/router";

type Props = Omit<JSX.IntrinsicElements["a"], "href"> & { href: string; children?: ComponentChildren };

export function Link({ href, onClick, children, ...rest }: Props) {
  const follow = (event: JSX.TargetedMouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    // Other buttons and keys mean "in another tab", which is the browser's part.
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(href);
  };
  return (
    <a {...rest} href={href} onClick={follow}>
      {children}
    </a>
  );
}
