// Where the page is: real paths under /console with filters in the query string, so that every view has an address.
// The server answers /console, /console/{a} and /console/{a}/{b} with the same page; hence at most two segments.
import { BASE } from "./href";
import { createStore, useStore } from "./store";

export { BASE, hrefOf } from "./href";

export interface Place {
  path: string;
  /** What follows /console, e.g. ["messages", "0PXKQ8ZT3M001"]; empty on the overview. */
  segments: string[];
  query: URLSearchParams;
}

function currentPlace(): Place {
  const { pathname, search } = window.location;
  const rest = pathname.startsWith(BASE) ? pathname.slice(BASE.length) : pathname;
  return {
    path: pathname,
    segments: rest.split("/").filter(Boolean).map(decodeSegment),
    query: new URLSearchParams(search),
  };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // not ours; it will be shown as a screen that does not exist
  }
}

const place = createStore<Place>(currentPlace());

export function startRouter(): void {
  window.addEventListener("popstate", () => place.set(currentPlace()));
}

export function usePlace(): Place {
  return useStore(place);
}

export function placeNow(): Place {
  return place.get();
}

export function navigate(href: string, options: { replace?: boolean } = {}): void {
  const before = place.get().path;
  if (options.replace) window.history.replaceState(null, "", href);
  else window.history.pushState(null, "", href);
  place.set(currentPlace());
  if (!options.replace && before !== place.get().path) window.scrollTo(0, 0);
}

/** The address of this screen with some of its parameters changed. A new filter starts at the first page again. */
export function hrefWith(change: Record<string, string | undefined>): string {
  const { path, query } = place.get();
  const params = new URLSearchParams(query);
  if (!("cursor" in change)) params.delete("cursor");
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === "") params.delete(name);
    else params.set(name, value);
  }
  const text = params.toString();
  return text ? `${path}?${text}` : path;
}
