import { choiceField, idField, type FieldValue, type ReadField } from './ad-fields.ts';

/** A field of an advertiser entity. */
export interface AdField {
  /** Reads the parameter that sets it; absent for a field that the service derives. */
  readonly read?: ReadField;
  /** True if creating the entity needs it. */
  readonly required?: true;
  /** True if it can only be set when the entity is created. */
  readonly fixed?: true;
  /** True if requests alone have it: answers show what follows from it. */
  readonly hidden?: true;
  /** The kind of entity of the same account that it names. The field of {@link AdKind.parent} needs no other mention. */
  readonly names?: 'ACCOUNT_MEDIA' | 'SCHEDULED_TWEET';
  /** Its value where none was given; null if absent. */
  readonly absent?: FieldValue;
}

export type AdFieldTable = Readonly<Record<string, AdField>>;

/** Attributes by which listings can be sorted. */
export const SORTED = [
  'created_at',
  'updated_at',
  'deleted',
  'name',
  'start_time',
  'end_time',
  'daily_budget_amount_local_micro',
  'total_budget_amount_local_micro',
  'standard_delivery',
  'bid_amount_local_micro',
  'funded_amount_local_micro',
] as const;
export type Sorted = (typeof SORTED)[number];

/** The kinds that others belong to. */
type ParentKind = 'FUNDING_INSTRUMENT' | 'CAMPAIGN' | 'LINE_ITEM';

/** A filter of a listing, next to those that all listings have. */
export interface AdListFilter {
  readonly parameter: string;
  /** Reads one value or a list. */
  readonly read: ReadField;
  /**
   * The value it compares: a field, or the id of what an entity's parents belong to. `through` has the kinds of these
   * parents, the nearest first.
   */
  readonly by: { readonly field: string } | { readonly through: readonly ParentKind[] };
}

/** A kind of advertiser entity. Fields, filters and codes: platform-facts and its additions, section 10. */
export interface AdKind {
  /** Last part of its path. */
  readonly path: string;
  /** Name of the member and of the path's parameter that identify it; its plural names the parameter with up to 200 ids. */
  readonly key: string;
  /** Set if the key is not an id of its own but that of something else, unique in the ad account. */
  readonly keyed?: true;
  /** Set if its ids are decimal, like those of Posts. */
  readonly decimal?: true;
  /** Code of the 404 for an unknown one. */
  readonly missing: string;
  readonly fields: AdFieldTable;
  /** The field that names what it belongs to, and the listing parameter that filters by it. */
  readonly parent?: {
    readonly kind: ParentKind;
    readonly field: string;
    readonly filter: string;
  };
  readonly filters?: readonly AdListFilter[];
  /** The part of the name in which `q` may be; anywhere if absent. */
  readonly search?: 'beginning';
  readonly sorted: readonly Sorted[];
  /** The number of entities a page may have, and has by default. */
  readonly page: { readonly max: number; readonly default: number };
  /** Reads in 15 minutes per user and per ad account. */
  readonly reads: number;
  /** The methods it takes of POST, PUT and DELETE; none if absent. */
  readonly writes?: readonly ('create' | 'update' | 'remove')[];
  /** A parameter that creates one entity for each of its values. */
  readonly each?: { readonly parameter: string; readonly field: string; readonly max: number };
  /** The number of operations a request of its batch operation may have; there is none if absent. */
  readonly batch?: number;
  /** Set if it can be deleted and keeps that in its member `deleted`; otherwise a deletion is for good. */
  readonly deletes: boolean;
}

export const PAGE = { max: 1000, default: 200 };
/** Reads in 15 minutes of the core entities, and of the others. */
export const CORE = 10_000;
export const OTHER = 2000;
export const DATES: readonly Sorted[] = ['created_at', 'updated_at', 'deleted'];

/** The rules of most kinds, as far as they state no others. */
export const ENTITY = {
  missing: 'NOT_FOUND',
  sorted: DATES,
  page: PAGE,
  reads: OTHER,
  deletes: true,
} as const;
export const STATUS: AdField = {
  read: choiceField(['ACTIVE', 'DRAFT', 'PAUSED']),
  absent: 'ACTIVE',
};
export const LIST: AdField = { absent: [] };

/** Most ids of a filter. */
export const MOST_IDS = 200;

/** The rules of most kinds below a line item. */
export const OF_LINE_ITEM = {
  ...ENTITY,
  parent: { kind: 'LINE_ITEM', field: 'line_item_id', filter: 'line_item_ids' },
} as const;
/** The field of a line item in them. */
export const LINE_ITEM_ID: AdField = { read: idField, required: true, fixed: true };
