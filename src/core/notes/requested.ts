/** Most requests, and most suggestions of one source, that a row of a file may state. */
export const MOST_REQUESTS = 1_000_000;
/** Most sources that a row may suggest. */
export const MOST_LINKS = 100;
/** Longest address of a source, in characters. */
export const LONGEST_LINK = 4096;

const ADDRESS = /^https?:\/\/[^\s/]\S*$/;

/** True if a text can be the address of a source: http or https, without spaces, at most {@link LONGEST_LINK} long. */
export function isLink(text: string): boolean {
  return ADDRESS.test(text) && text.length <= LONGEST_LINK;
}

/** A source that requests suggest, and how many do. */
export interface SuggestedLink {
  readonly url: string;
  readonly count: number;
}

/** The requests for a note on its Post that a row of a file states. */
export interface RequestedNote {
  /** All requests; at least the highest count of a link. */
  readonly count: number;
  /** Each address once. */
  readonly links: readonly SuggestedLink[];
}

const YES = new Set(['true', 'yes', 'y', 't']);
const NO = new Set(['false', 'no', 'n', 'f', '0']);

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** A whole number from 1 to {@link MOST_REQUESTS}; null for anything else. */
function countOf(value: unknown): number | null {
  const count = typeof value === 'string' && /^\d{1,7}$/.test(value) ? Number(value) : value;
  const isCount = typeof count === 'number' && Number.isInteger(count);
  return isCount && count >= 1 && count <= MOST_REQUESTS ? count : null;
}

/** The number of requests; undefined where nothing states it, a text if it cannot be read. */
function requestsOf(value: unknown): number | undefined | string {
  if (value === undefined || value === null) return undefined;
  const text = String(value).trim().toLowerCase();
  if (text === '') return undefined;
  if (YES.has(text)) return 1;
  if (NO.has(text)) return 0;
  const isPlain = typeof value === 'string' || typeof value === 'number';
  return (
    (isPlain ? countOf(text) : null) ??
    `notes_requested is "${shown(value)}", not true, false or a number of requests up to ${MOST_REQUESTS}`
  );
}

/** Addresses, each with its count; a text is split at its spaces, and a number after an address is its count. */
function pairsOf(value: unknown): [url: unknown, count: unknown][] | null {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') {
    const pairs: [unknown, unknown][] = [];
    for (const word of value.split(/\s+/)) {
      const last = pairs.at(-1);
      if (word === '') continue;
      if (last && last[1] === undefined && /^\d+$/.test(word)) last[1] = word;
      else pairs.push([word, undefined]);
    }
    return pairs;
  }
  if (!Array.isArray(value)) return null;
  return value.map((each: unknown) => {
    if (typeof each !== 'object' || each === null) return [each, undefined];
    const { url, count } = each as { url?: unknown; count?: unknown };
    return [url, count];
  });
}

function linksOf(value: unknown): SuggestedLink[] | string {
  const pairs = pairsOf(value);
  if (pairs === null) return `note_links is ${shown(value)}, not a list of addresses`;
  const counts = new Map<string, number>();
  for (const [url, given = 1] of pairs) {
    if (typeof url !== 'string' || !isLink(url)) {
      return `note_links has "${shown(url)}", not an address that begins with http:// or https://`;
    }
    const count = countOf(given);
    if (count === null) {
      return `note_links has the count "${shown(given)}", not a number from 1 to ${MOST_REQUESTS}`;
    }
    counts.set(url, Math.min((counts.get(url) ?? 0) + count, MOST_REQUESTS));
  }
  if (counts.size > MOST_LINKS) {
    return `note_links has ${counts.size} addresses; the limit is ${MOST_LINKS}`;
  }
  return Array.from(counts, ([url, count]) => ({ url, count }));
}

/**
 * Reads what a row of a file says of requests for a note on its Post.
 *
 * @param requested - A flag or the number of requests, as a JSON value or as text.
 * @param links - Addresses separated by spaces, each perhaps with a count after it, or a list of addresses or of
 *   `{url, count}`, as the platform lists suggested sources (platform-facts-additions, section 8).
 * @returns Null if no note is requested; a text that says what is wrong.
 */
export function readRequestedNote(
  requested: unknown,
  links: unknown,
): RequestedNote | null | string {
  const stated = requestsOf(requested);
  if (typeof stated === 'string' || stated === 0) return stated === 0 ? null : stated;
  const found = linksOf(links);
  if (typeof found === 'string') return found;
  const count = Math.max(stated ?? 0, ...found.map((link) => link.count));
  return count === 0 ? null : { count, links: found };
}
