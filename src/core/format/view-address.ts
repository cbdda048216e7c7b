/** An instant as the address of a view holds it: to the minute, or to the second if needed. */
export function instantText(at: number): string {
  const iso = new Date(at).toISOString();
  return iso.slice(17, 19) === '00' ? `${iso.slice(0, 16)}Z` : `${iso.slice(0, 19)}Z`;
}

/** The part of an address after `#`, with as few escapes as readers of addresses need. */
export const fragmentOf = (parts: URLSearchParams): string =>
  parts.toString().replaceAll('%2F', '/').replaceAll('%3A', ':');
