import type { Authentication, Endpoint } from '#contract/endpoint.ts';
import type { Price, ResourceKind } from '#contract/counts/prices.ts';
import { grouped } from '#core/format/number-text.ts';
import { nounFor } from '#core/format/plural.ts';

const AND = new Intl.ListFormat('en', { type: 'conjunction' });
const OR = new Intl.ListFormat('en', { type: 'disjunction' });

const TOKENS: Readonly<Partial<Record<Authentication, string>>> = {
  app: 'an app-only token',
  oauth1: 'a signature of OAuth 1.0a',
  oauth2: 'a token of OAuth 2.0',
  client: 'the credentials of an app',
  consent: 'the session of a browser',
};

function tokensOf({ authentication, scopes = [] }: Endpoint): string {
  const texts = authentication.flatMap((kind) => {
    const text = TOKENS[kind];
    if (kind !== 'oauth2' || scopes.length === 0) return text ?? [];
    return `${text} with the ${nounFor(scopes.length, 'scope')} ${AND.format(scopes)}`;
  });
  return texts.length > 0 ? `Takes ${OR.format(texts)}.` : 'Takes no token.';
}

/** The callers that each limit of an endpoint counts. */
const COUNTED = {
  app: 'per app',
  user: 'per user',
  account: 'per user of all apps',
  appDay: 'per app with all its users',
  userDay: 'per user',
} as const;

/** Windows of limits by their seconds. */
const WINDOWS: Readonly<Record<number, string>> = {
  60: 'a minute',
  900: '15 minutes',
  3600: 'an hour',
  86_400: '24 hours',
};

function limitsOf({ limits = {}, budget, method, path }: Endpoint): string {
  const byWindow = new Map<number, string[]>();
  for (const [of, { requests, windowSeconds }] of Object.entries(limits)) {
    const text = `${grouped(requests)} requests ${COUNTED[of as keyof typeof COUNTED]}`;
    byWindow.set(windowSeconds, [...(byWindow.get(windowSeconds) ?? []), text]);
  }
  if (byWindow.size === 0) return '';
  const texts = [...byWindow].map(
    ([seconds, counted]) => `${AND.format(counted)} in ${WINDOWS[seconds] ?? `${seconds} seconds`}`,
  );
  const shared = budget === `${method} ${path}` ? '' : ', which several operations share';
  return `At most ${texts.join('; ')}${shared}.`;
}

function dollars(micros: number): string {
  return `$${String(micros / 1e6)}`;
}

/** One of the resources that an answer is billed by. */
const NOUNS: Readonly<Record<ResourceKind, string>> = {
  post: 'Post',
  user: 'account',
  follow: 'account',
  list: 'list',
  community: 'community',
  note: 'note',
  like: 'Post',
  mute: 'account',
  block: 'account',
  event: 'event',
};

function priceOf(price: Price | undefined): string {
  if (!price) return '';
  if (price.per === 'request') return `A request costs ${dollars(price.amount)}.`;
  const own = price.ownAmount;
  const isLess = own !== undefined && own < price.amount;
  const owner = isLess ? `, ${dollars(own)} if the owner of the app reads its own account` : '';
  return `Costs ${dollars(price.amount)} for each ${NOUNS[price.kind]} of the answer${owner}.`;
}

/**
 * The demands of an operation on its caller, in sentences: tokens and scopes, access levels, limits, and the price.
 *
 * @returns Never empty: an operation that takes no token says so.
 */
export function demandsOf(operation: Endpoint): string {
  const { access, price, streams } = operation;
  return [
    streams ? 'Answers with lines of JSON until the connection ends.' : '',
    tokensOf(operation),
    access ? `Needs ${OR.format(access.levels)} access.` : '',
    limitsOf(operation),
    priceOf(price),
  ]
    .filter((text) => text !== '')
    .join(' ');
}
