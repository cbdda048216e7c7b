import * as v from 'valibot';
import { AD_ID, flagOf, listOf, textOf } from './ad-fields.ts';
import type { FieldValue } from './ad-fields.ts';
import { AD_KINDS } from './ad-kinds.ts';
import type { AdKind, AdKindName } from './ad-kinds.ts';
import {
  ADVERTISER_BASE,
  entityAnswer,
  expected,
  listAnswer,
  parametersOf,
  wholeFrom,
} from './advertising.ts';
import { endpoint } from './endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import { quarterHour } from './paging.ts';

/** The parsed query of a listing. Further members are its filters by ids. */
export interface ListingQuery {
  readonly cursor?: string;
  readonly count: number;
  readonly q?: string;
  readonly sort_by?: readonly string[];
  readonly with_deleted?: boolean;
  readonly with_draft?: boolean;
  readonly with_total_count?: boolean;
  readonly [filter: string]: unknown;
}

/** Parameters of the path: the ad account, and the entity where there is one. */
export type AdPath = Readonly<Record<string, string>>;
/** Fields of an entity that a request sets. */
export type AdFields = Readonly<Record<string, FieldValue>>;

const SOURCE = 'platform-facts, section 10';
/** Most ids of a filter. */
const MOST_IDS = 200;
const IDS = listOf(MOST_IDS, AD_ID, 'an id');

function pathOf(...names: readonly string[]): v.GenericSchema<unknown, AdPath> {
  const entries = names.map((name) => {
    const id = v.pipe(v.string(), v.regex(AD_ID, expected('an id', name)));
    return [name, id] as const;
  });
  return v.object(Object.fromEntries(entries));
}

function listingQuery({ ids, parent, sorted, page }: AdKind) {
  const orders = sorted.flatMap((name) => [`${name}-asc`, `${name}-desc`]);
  const schema = parametersOf({
    [ids]: v.optional(IDS(ids)),
    ...(parent && { [parent.filter]: v.optional(IDS(parent.filter)) }),
    count: v.optional(wholeFrom('count', 1, page.most), String(page.usual)),
    cursor: v.optional(v.pipe(v.string(), v.nonEmpty(expected('a cursor', 'cursor')))),
    q: v.optional(textOf(255)('q')),
    sort_by: v.optional(
      listOf(1, new RegExp(`^(?:${orders.join('|')})$`), `one of ${orders.join(', ')}`)('sort_by'),
    ),
    with_deleted: v.optional(flagOf('with_deleted')),
    with_draft: v.optional(flagOf('with_draft')),
    with_total_count: v.optional(flagOf('with_total_count')),
  });
  return schema as unknown as v.GenericSchema<unknown, ListingQuery>;
}

const ReadQuery = parametersOf({ with_deleted: v.optional(flagOf('with_deleted')) });

/** The form of an entity: every field, null where it has no value. */
function objectOf({ fields, key, deletes }: AdKind): v.GenericSchema {
  const members = Object.keys(fields).map((name) => [name, v.unknown()] as const);
  return v.looseObject({
    [key in fields ? key : 'id']: v.string(),
    ...Object.fromEntries(members),
    created_at: v.string(),
    updated_at: v.string(),
    ...(deletes && { deleted: v.boolean() }),
  }) as unknown as v.GenericSchema;
}

function reads(kind: AdKind, name: AdKindName) {
  const ofAccount = name === 'ACCOUNT';
  const path = ofAccount
    ? `${ADVERTISER_BASE}/accounts`
    : `${ADVERTISER_BASE}/accounts/:account_id/${kind.path}`;
  const rules = { authentication: ['oauth1'], level: 'read', source: SOURCE } as const;
  const object = objectOf(kind);
  return {
    list: endpoint('GET', path, {
      ...rules,
      limits: { user: quarterHour(kind.reads) },
      params: pathOf(...(ofAccount ? [] : ['account_id'])),
      query: listingQuery(kind),
      response: listAnswer(object),
    }),
    one: endpoint('GET', `${path}/:${kind.key}`, {
      ...rules,
      limits: { user: quarterHour(kind.reads) },
      params: pathOf(...(ofAccount ? [] : ['account_id']), kind.key),
      query: ReadQuery,
      response: entityAnswer(object),
    }),
  };
}

/** All changes of a user, and all of an ad account, share one budget. */
export const WRITE_LIMIT = { requests: 450, windowSeconds: 60 };

function fieldsQuery({ fields, each }: AdKind, of: 'create' | 'update') {
  const entries = Object.entries(fields).flatMap(([name, { read, required, fixed }]) => {
    if (!read || (of === 'update' && fixed)) return [];
    const schema = read(name);
    return [[name, of === 'create' && required ? schema : v.optional(schema)] as const];
  });
  const list = each &&
    of === 'create' && {
      [each.parameter]: listOf(each.most, /^[0-9]{1,19}$/, 'a decimal id')(each.parameter),
    };
  return parametersOf({ ...Object.fromEntries(entries), ...list }) as unknown as v.GenericSchema<
    unknown,
    AdFields
  >;
}

function writes(kind: AdKind, name: AdKindName) {
  const { list, one } = AD_READS[name];
  const rules = {
    authentication: ['oauth1'],
    level: 'read-write',
    source: `${SOURCE}, and its additions`,
    limits: { user: WRITE_LIMIT },
    formParameters: true,
  } as const;
  const object = objectOf(kind);
  const response = entityAnswer(object);
  return {
    create: endpoint('POST', list.path, {
      ...rules,
      params: list.params,
      query: fieldsQuery(kind, 'create'),
      response: kind.each ? entityAnswer(v.array(object)) : response,
      status: 201,
    }),
    update: endpoint('PUT', one.path, {
      ...rules,
      params: one.params,
      query: fieldsQuery(kind, 'update'),
      response,
    }),
    remove: endpoint('DELETE', one.path, {
      ...rules,
      params: one.params,
      query: parametersOf({}),
      response,
    }),
  };
}

const ALL = Object.entries(AD_KINDS) as [AdKindName, AdKind][];

/** The operations that read each kind of entity. */
export const AD_READS = Object.fromEntries(
  ALL.map(([name, kind]) => [name, reads(kind, name)]),
) as Readonly<Record<AdKindName, ReturnType<typeof reads>>>;

/** The operations that change each kind of entity. Of a kind, the service has those that its {@link AdKind} lists. */
export const AD_WRITES = Object.fromEntries(
  ALL.map(([name, kind]) => [name, writes(kind, name)]),
) as Readonly<Record<AdKindName, ReturnType<typeof writes>>>;

/** Every operation of advertisers. */
export const ADS: readonly Endpoint[] = ALL.flatMap(([name, kind]): Endpoint[] => [
  ...Object.values(AD_READS[name]),
  ...(kind.writes ?? []).map((write): Endpoint => AD_WRITES[name][write]),
]);
