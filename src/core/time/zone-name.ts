/** True if the browser, or Node, knows a time zone by this name. */
export function isZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}
