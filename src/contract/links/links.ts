import * as v from 'valibot';
import { Time } from '#contract/members.ts';
import { endpoint, sessionEndpoint } from '#contract/endpoint.ts';
import { about, choiceIn, onlyParameters, pathOf } from '#contract/parameters.ts';
import { PRESETS, type Preset } from '#core/time/presets.ts';
import { RESOLUTIONS } from '#core/time/resolution.ts';
import { isZone } from '#core/time/zone-name.ts';
import { isLoopback } from './loopback.ts';

/** The kinds of links: numbers for spreadsheets and programs, and boards to look at. */
export const LINK_KINDS = ['data', 'view'] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

/** Days until a link ends, unless others are chosen, and most days. */
export const LINK_DAYS = { usual: 90, max: 3660 } as const;
/** Days for which the visits of a link are stored. */
export const VISIT_DAYS = 90;
/** Most links of a login that have not ended. */
export const MAX_LINKS = 100;
/** Most rows of the answer of a data link. */
export const MAX_LINK_ROWS = 200_000;

/** Characters of the password of a view link: guesses are limited. */
export const LINK_PASSWORD = { min: 8, max: 256 } as const;
/** Most sites that may show a view in a page of theirs. */
export const MAX_SITES = 10;

/** Header of the part of the counts that are known, 0 to 1. */
export const KNOWN_HEADER = 'x-known';

/** True for the origin of a site, such as `https://example.org`: of HTTPS, or of this machine. */
export function isSite(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  // A policy would end at a semicolon, and a list of sites at a comma or a space.
  const isPlain = /^[\w.:/[\]-]+$/.test(text);
  return (
    isPlain &&
    origin === text &&
    (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname)))
  );
}

/** The facts about a view link that its owner may know again. */
const ViewInfo = {
  /** True if causes name accounts, and the Posts of a time can be read. */
  posts: v.boolean(),
  /** True if another time may be chosen than the board's own. */
  presets: v.boolean(),
  /** Origins of the sites that may show it in a page. */
  sites: v.pipe(
    v.array(
      v.pipe(
        v.string(),
        v.check(isSite, ({ input }) => `[${String(input)}] is not the origin of a site`),
      ),
    ),
    v.maxLength(MAX_SITES),
  ),
};

const NewView = v.strictObject({
  ...ViewInfo,
  password: v.nullable(
    v.pipe(v.string(), v.minLength(LINK_PASSWORD.min), v.maxLength(LINK_PASSWORD.max)),
  ),
});
export type NewView = v.InferOutput<typeof NewView>;

/** The stored settings of a view link; the password as its hash. */
export const ViewSettings = v.object({ ...ViewInfo, password: v.nullable(v.string()) });
export type ViewSettings = v.InferOutput<typeof ViewSettings>;

const link = {
  board: v.pipe(v.string(), v.minLength(1), v.maxLength(1000)),
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(120)),
  days: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(LINK_DAYS.max)),
};

const LinkInfo = v.object({
  id: v.string(),
  kind: v.picklist(LINK_KINDS),
  name: v.string(),
  /** The board's name; null if it was removed. */
  board: v.nullable(v.string()),
  /** Name of the login that it belongs to; null for one of this machine. */
  login: v.nullable(v.string()),
  created_at: Time,
  ends_at: Time,
  /** Null if it was never used. */
  used_at: v.nullable(Time),
  /** In the last {@link VISIT_DAYS} days. */
  visits: v.number(),
  /** Of a view; null of numbers. */
  view: v.nullable(v.object({ ...ViewInfo, password: v.boolean() })),
});
export type LinkInfo = v.InferOutput<typeof LinkInfo>;

const one = { ownData: true } as const;
const id = pathOf('id', /^\d{1,15}$/);

/** The links of the caller's login, or of all for an administrator, for the dashboard. */
export const LINKS = {
  list: sessionEndpoint('GET', '/links', { answer: v.object({ links: v.array(LinkInfo) }) }),
  add: sessionEndpoint('POST', '/links', {
    ...one,
    body: v.variant('kind', [
      v.strictObject({ kind: v.literal('data'), ...link }),
      v.strictObject({ kind: v.literal('view'), ...link, view: NewView }),
    ]),
    /** The secret is in no other answer. */
    answer: v.object({ link: LinkInfo, secret: v.string() }),
  }),
  /** Ends a link: its secret answers 410. */
  revoke: sessionEndpoint('DELETE', '/links/:id', {
    ...one,
    params: id,
    answer: v.object({ revoked: v.boolean() }),
  }),
  /** Undoes that, for 30 minutes. */
  restore: sessionEndpoint('POST', '/links/:id/restore', {
    ...one,
    params: id,
    answer: v.object({ restored: v.boolean() }),
  }),
};

const parameters = {
  last: v.optional(choiceIn('last', PRESETS.map(({ id }) => id) as [Preset, ...Preset[]])),
  by: v.optional(choiceIn('by', RESOLUTIONS)),
  zone: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(100),
      v.check(isZone, ({ input }) => `${about('zone', input)} is not the name of a time zone`),
    ),
  ),
  theme: v.optional(choiceIn('theme', ['light', 'dark'])),
};

/** Reads the board of a data link, for anyone who has its secret. */
export const DATA_LINK = endpoint('GET', '/data/:secret/:file', {
  authentication: ['link'],
  params: v.object({ secret: v.string(), file: v.string() }),
  query: onlyParameters(parameters),
});
