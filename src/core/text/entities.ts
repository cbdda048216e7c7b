import { addressSpans } from './address.ts';
import { fold } from './fold.ts';
import { LINK } from './terms.ts';
import { scanText } from './tokens.ts';

/** A part of a text by its code points, `[start, end)`. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/** The entities that a text itself shows. A list is absent if it would be empty. */
export interface TextEntities {
  readonly hashtags?: readonly (Place & { readonly tag: string })[];
  readonly mentions?: readonly (Place & { readonly username: string })[];
  readonly cashtags?: readonly (Place & { readonly tag: string })[];
  readonly urls?: readonly (Place & {
    readonly url: string;
    readonly expanded_url?: string;
    readonly display_url: string;
  })[];
}

const SIGN = /(?<![\p{L}\p{N}\p{M}_])[#\uff03@\uff20$]/gu;
const RUN = /[\p{L}\p{N}_][\p{L}\p{N}\p{M}_]*(?:[._](?:\p{L}\p{M}*){1,2})?/uy;

/** Longest run that is searched for its term, in code points. */
const MAX_RUN = 280;

/** Characters of an address that is shown (developer documentation, `display_url`). */
const SHOWN_ADDRESS = 26;

/** Converts ascending positions in UTF-16 units to code points. */
function pointCounter(text: string): (at: number) => number {
  let units = 0;
  let points = 0;
  return (at) => {
    for (; units < at; points++) units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
    return points;
  };
}

/** The beginning of a run whose folded form is a term's; empty if there is none. Emoji after the term may extend the run. */
function sameRun(run: string, term: string): string {
  if (fold(run) === term) return run;
  const points = Array.from(run);
  const part = (length: number): string => points.slice(0, length).join('');
  const length = points.findIndex((_, i) => fold(part(i)) === term);
  return length < 1 || points.length > MAX_RUN ? '' : part(length);
}

function signedIn(text: string) {
  const { hashtags, mentions, cashtags } = scanText(fold(text));
  const lists = { '#': hashtags, '@': mentions, $: cashtags };
  const taken = { '#': 0, '@': 0, $: 0 };
  const pointAt = pointCounter(text);
  const found: { sign: keyof typeof lists; place: Place; value: string }[] = [];
  for (const { index, 0: char } of text.matchAll(SIGN)) {
    const sign = char === '$' ? '$' : char === '#' || char === '\uff03' ? '#' : '@';
    RUN.lastIndex = index + 1;
    const run = RUN.exec(text)?.[0] ?? '';
    const term = lists[sign][taken[sign]];
    const value = term === undefined ? '' : sameRun(run, term.slice(1));
    if (value === '') continue;
    taken[sign] += 1;
    const place = { start: pointAt(index), end: pointAt(index + 1 + value.length) };
    found.push({ sign, place, value });
  }
  return found;
}

/** Address spans, without the punctuation of the sentence around them. */
function linksIn(text: string): Place[] {
  const addresses = addressSpans(text);
  // As in the folded text, with the same positions.
  const lower = text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return Array.from(lower.matchAll(LINK), ({ index, 0: link }) => {
    const end = index + link.length;
    return (
      addresses.find((address) => address.start === index && address.end <= end) ?? {
        start: index,
        end,
      }
    );
  });
}

function urlOf(link: string) {
  const url = /^https?:/i.test(link) ? link : `https://${link}`;
  const bare = url.replace(/^https?:\/\/(?:www\.)?/i, '');
  const shown = Array.from(bare);
  const display =
    shown.length > SHOWN_ADDRESS ? `${shown.slice(0, SHOWN_ADDRESS).join('')}\u2026` : bare;
  // A shortened address does not say where it leads.
  const known = !/^t\.co\//i.test(bare);
  return { url, ...(known && { expanded_url: url }), display_url: display };
}

/**
 * The hashtags, mentions, cashtags and addresses in a text: those under which search and counts find it, with their
 * positions.
 */
export function entitiesOf(text: string): TextEntities {
  const signed = signedIn(text);
  const of = (sign: string) => signed.filter((each) => each.sign === sign);
  const pointAt = pointCounter(text);
  const urls = (text.includes('/') ? linksIn(text) : []).map(({ start, end }) => ({
    start: pointAt(start),
    end: pointAt(end),
    ...urlOf(text.slice(start, end)),
  }));
  const all = {
    hashtags: of('#').map(({ place, value }) => ({ ...place, tag: value })),
    mentions: of('@').map(({ place, value }) => ({ ...place, username: value })),
    cashtags: of('$').map(({ place, value }) => ({ ...place, tag: value })),
    urls,
  };
  return Object.fromEntries(Object.entries(all).filter(([, list]) => list.length > 0));
}

/** The mentions that a text begins with, and the space after them; empty if there are none. */
export function leadingMentions(text: string): string {
  return /^(?:@\w{1,15}\s+)+/.exec(text)?.[0] ?? '';
}

/**
 * The part of a text that is shown as its own, in code points: without the mentions at the beginning of a reply and the
 * link to attached media at the end.
 */
export function displayRange(text: string, isReply: boolean): [start: number, end: number] {
  const lead = isReply ? leadingMentions(text) : '';
  const tail = /\s*(?:https?:\/\/)?pic\.(?:twitter|x)\.com\/\S+\s*$/iu.exec(text)?.[0] ?? '';
  const whole = Array.from(text).length;
  const start = Array.from(lead).length;
  return [start, Math.max(start, whole - Array.from(tail).length)];
}
