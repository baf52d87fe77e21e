// Choices that outlive the page (language, theme). Never anything secret; a browser that keeps nothing is fine too.

export function readKept(key: string): string | null {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function writeKept(key: string, value: string | null): void {
  try {
    if (value === null) window.localStorage.removeItem(key);
    else window.localStorage.setItem(key, value);
  } catch {
    // Private windows may refuse; the choice then holds until the page is closed.
  }
}
