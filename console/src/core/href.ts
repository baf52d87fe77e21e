// Addresses of screens.

export const BASE = "/console";

/** Parameters without a value are left out. */
export function hrefOf(segments: string[], query: Record<string, string | undefined> = {}): string {
  const path = [BASE, ...segments.map(encodeURIComponent)].join("/");
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== "") params.append(name, value);
  const text = params.toString();
  return text ? `${path}?${text}` : path;
}
