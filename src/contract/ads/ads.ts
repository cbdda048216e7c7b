import * as v from 'valibot';
import {
  AD_ID,
  flagField,
  listField,
  namesField,
  adIdInPath,
  textField,
  type FieldValue,
} from './ad-fields.ts';
import { MOST_IDS, type AdField, type AdKind } from './ad-kind.ts';
import { AD_KINDS, type AdKindName } from './ad-kinds.ts';
import { ADVERTISER_BASE, entityAnswer, listAnswer, paged, parametersOf } from './advertising.ts';
import { endpoint, type Endpoint } from '#contract/endpoint.ts';
import { quarterHour } from '#contract/paging.ts';

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
/** Most attributes that a listing is sorted by. */
const MOST_ORDERS = 4;
const IDS = listField(MOST_IDS, AD_ID, 'an id');

function pathOf(...names: readonly string[]): v.GenericSchema<unknown, AdPath> {
  return v.object(Object.fromEntries(names.map((name) => [name, adIdInPath(name)] as const)));
}

function listingQuery({ key, parent, filters = [], sorted, page }: AdKind) {
  const orders = sorted.flatMap((name) => [`${name}-asc`, `${name}-desc`]);
  const schema = parametersOf({
    [`${key}s`]: v.optional(IDS(`${key}s`)),
    ...(parent && { [parent.filter]: v.optional(IDS(parent.filter)) }),
    ...Object.fromEntries(
      filters.map(({ parameter, read }) => [parameter, v.optional(read(parameter))] as const),
    ),
    ...paged(page),
    q: v.optional(textField(255)('q')),
    sort_by: v.optional(namesField(orders, MOST_ORDERS)('sort_by')),
    with_deleted: v.optional(flagField('with_deleted')),
    with_draft: v.optional(flagField('with_draft')),
    with_total_count: v.optional(flagField('with_total_count')),
  });
  return schema as unknown as v.GenericSchema<unknown, ListingQuery>;
}

const ReadQuery = parametersOf({ with_deleted: v.optional(flagField('with_deleted')) });

/** The form of an entity: every field, null where it has no value. */
function objectOf({ fields, key, deletes }: AdKind): v.GenericSchema {
  const shown = Object.entries(fields).filter(([, { hidden }]) => !hidden);
  const members = shown.map(([name]) => [name, v.unknown()] as const);
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

/** True if a change can leave a field without a value: by an empty one (docs creatives/reference, PUT scheduled_tweets). */
function isCleared({ required, absent = null }: AdField): boolean {
  return !required && (absent === null || absent === '' || Array.isArray(absent));
}

/** A parameter of a change. */
function changed(name: string, field: AdField) {
  const { read, absent } = field;
  if (!read) return v.string();
  const set = read(name);
  if (!isCleared(field)) return set;
  const cleared = v.pipe(
    v.literal(''),
    v.transform((): FieldValue => (Array.isArray(absent) ? [] : null)),
  );
  return v.lazy((value) => (value === '' ? cleared : set));
}

/** Members of all entities that no request sets. */
const GIVEN = ['id', 'created_at', 'updated_at', 'deleted'];

/**
 * The fields that a change sets. It may repeat the members of an answer that no request sets, as SDKs do that send a whole
 * entity; they are ignored.
 */
function changeOf({ fields }: AdKind) {
  const names = Object.keys(fields).filter((name) => fields[name]?.read);
  const schema = parametersOf({
    ...Object.fromEntries(GIVEN.map((name) => [name, v.optional(v.string())] as const)),
    ...Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, v.optional(changed(name, field))]),
    ),
  });
  return v.pipe(
    schema,
    v.transform((all) =>
      Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name))),
    ),
  );
}

function creationOf({ fields, each }: AdKind) {
  const entries = Object.entries(fields).flatMap(([name, { read, required }]) => {
    if (!read) return [];
    const schema = read(name);
    return [[name, required ? schema : v.optional(schema)] as const];
  });
  const list = each && {
    [each.parameter]: listField(each.max, /^[0-9]{1,19}$/, 'a decimal id')(each.parameter),
  };
  return parametersOf({ ...Object.fromEntries(entries), ...list });
}

type FieldsSchema = v.GenericSchema<unknown, AdFields>;

/** The parameters that create or change an entity. A change may also have the fixed fields, with their values. */
export const AD_FIELDS = Object.fromEntries(
  (Object.entries(AD_KINDS) as [AdKindName, AdKind][]).map(([name, kind]) => [
    name,
    {
      create: creationOf(kind) as unknown as FieldsSchema,
      update: changeOf(kind) as unknown as FieldsSchema,
    },
  ]),
) as Readonly<Record<AdKindName, { readonly create: FieldsSchema; readonly update: FieldsSchema }>>;

/** Kinds of operations of a batch. */
export const OPERATIONS_OF_BATCH = ['Create', 'Update', 'Delete'] as const;

/** Body of a batch. What an operation may have depends on its type. */
const BatchRequest = v.array(
  v.object({ operation_type: v.string(), params: v.record(v.string(), v.unknown()) }),
);
export type BatchRequest = v.InferOutput<typeof BatchRequest>;

/** Bytes of a batch: 500 operations with long texts. */
const MOST_BATCH_BYTES = 2 * 1024 * 1024;

function writes(kind: AdKind, name: AdKindName) {
  const { list, one } = AD_READS[name];
  const rules = {
    authentication: ['oauth1'],
    level: 'read-write',
    source: `${SOURCE}, and its additions`,
    limits: { user: WRITE_LIMIT },
    budget: 'ad changes',
    formParameters: true,
  } as const;
  const object = objectOf(kind);
  const response = entityAnswer(object);
  return {
    create: endpoint('POST', list.path, {
      ...rules,
      params: list.params,
      query: AD_FIELDS[name].create,
      response: kind.each ? entityAnswer(v.array(object)) : response,
      status: 201,
    }),
    update: endpoint('PUT', one.path, {
      ...rules,
      params: one.params,
      query: AD_FIELDS[name].update,
      response,
    }),
    remove: endpoint('DELETE', one.path, {
      ...rules,
      params: one.params,
      query: parametersOf({}),
      response,
    }),
    batch: endpoint('POST', list.path.replace(ADVERTISER_BASE, `${ADVERTISER_BASE}/batch`), {
      ...rules,
      params: list.params,
      query: parametersOf({}),
      body: BatchRequest,
      maxBody: MOST_BATCH_BYTES,
      response: v.object({
        data: v.array(object),
        request: v.array(
          v.object({ params: v.record(v.string(), v.unknown()), operation_type: v.string() }),
        ),
      }),
      status: 201,
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
  ...(kind.batch === undefined ? [] : [AD_WRITES[name].batch]),
]);
