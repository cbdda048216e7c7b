import {
  POST_READ,
  USER_READ,
  type ResourceKind,
  type ResourcePrice,
} from '#contract/counts/prices.ts';

/** Resources of an answer that have the same kind and price. */
interface Resources {
  readonly kind: ResourceKind;
  /** Micro-dollars each. */
  readonly amount: number;
  readonly ids: readonly string[];
}

/** The price of each element of a list in `includes`; other lists cost nothing. */
const INCLUDED: readonly (readonly [list: string, price: ResourcePrice])[] = [
  ['tweets', POST_READ],
  ['posts', POST_READ],
  ['users', USER_READ],
];

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The ids of an object, or of the objects of a list. */
function idsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).flatMap((each: unknown) =>
    isObject(each) && typeof each['id'] === 'string' ? [each['id']] : [],
  );
}

/**
 * The resources that an answer returns, in `data` and in `includes`. The platform charges "per resource returned in the
 * response" (docs x-api/getting-started/pricing), which the relay also assumes.
 *
 * @param answer - An answer's JSON.
 * @param isOwn - Whether the owner of the app reads its own account.
 */
export function resourcesOf(answer: unknown, price: ResourcePrice, isOwn: boolean): Resources[] {
  if (!isObject(answer)) return [];
  const { includes } = answer;
  const own = isOwn ? price.ownAmount : undefined;
  const found = [{ kind: price.kind, amount: own ?? price.amount, ids: idsOf(answer['data']) }];
  if (isObject(includes)) {
    for (const [list, { kind, amount }] of INCLUDED) {
      found.push({ kind, amount: own ?? amount, ids: idsOf(includes[list]) });
    }
  }
  return found.filter(({ ids }) => ids.length > 0);
}
