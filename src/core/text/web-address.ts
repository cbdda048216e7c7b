/**
 * The address of a page for a link, from one with or without its scheme.
 *
 * @returns Null for anything that is not of the web, and for an address that hides its host behind a user name.
 */
export function webAddress(text: string): string | null {
  try {
    const url = new URL(text.includes('://') ? text : `https://${text}`);
    const isOfWeb = url.protocol === 'https:' || url.protocol === 'http:';
    return isOfWeb && url.username === '' && url.hostname.includes('.') ? url.href : null;
  } catch {
    return null;
  }
}
