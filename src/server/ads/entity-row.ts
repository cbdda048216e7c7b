import type { AdFields } from '#contract/ads/ads.ts';
import type { AdKindName } from '#contract/ads/ad-kinds.ts';
import { textOrNull, type Cell, type Value } from '#server/db/driver.ts';

/** An advertiser entity as stored. Times are in epoch ms. */
export interface AdEntity {
  /** Order of creation. */
  readonly seq: number;
  readonly kind: AdKindName;
  /** The ad account that it belongs to; of an ad account, the id of its user. */
  readonly holder: string;
  readonly id: string;
  /** Id of the entity that it belongs to. */
  readonly parent: string | null;
  readonly deleted: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly fields: AdFields;
}

export const ENTITY_COLUMNS = [
  'seq',
  'kind',
  'holder',
  'id',
  'parent',
  'deleted',
  'created_at',
  'updated_at',
  'fields',
] as const;

/** @param row - Begins with {@link ENTITY_COLUMNS}. */
export function entityOf(row: readonly Cell[]): AdEntity {
  const [seq, kind, holder, id, parent, deleted, createdAt, updatedAt, fields] = row;
  return {
    seq: Number(seq),
    kind: String(kind) as AdKindName,
    holder: String(holder),
    id: String(id),
    parent: textOrNull(parent),
    deleted: Number(deleted) > 0,
    createdAt: Number(createdAt),
    updatedAt: Number(updatedAt),
    fields: JSON.parse(String(fields)) as AdFields,
  };
}

/** Columns that repeat fields, for sorting, searching and finding what is due. */
export const REPEATED = [
  'draft',
  'name',
  'folded',
  'start_time',
  'end_time',
  'daily',
  'total',
  'standard',
  'amount',
  'due',
  'fields',
] as const;

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function amount(value: unknown): number {
  return typeof value === 'number' ? value : -1;
}

/** Texts of a medium in which `q` is sought too (docs creatives/reference, GET media_library). */
const SEARCHED = ['title', 'file_name', 'description'] as const;

/** The values of {@link REPEATED}. */
export function repeated(fields: AdFields): Value[] {
  const name = text(fields['name']);
  const { start_time, end_time, standard_delivery, scheduled_at, scheduled_status } = fields;
  const others = 'media_key' in fields ? SEARCHED.map((field) => text(fields[field])) : [];
  const isDue = scheduled_status === 'SCHEDULED' && typeof scheduled_at === 'string';
  return [
    fields['entity_status'] === 'DRAFT' ? 1 : 0,
    name,
    [name, ...others].join('\n').trim().toLowerCase(),
    text(start_time),
    text(end_time),
    amount(fields['daily_budget_amount_local_micro']),
    amount(fields['total_budget_amount_local_micro']),
    standard_delivery === undefined || standard_delivery === null ? -1 : Number(standard_delivery),
    amount(fields['bid_amount_local_micro'] ?? fields['funded_amount_local_micro']),
    isDue ? Date.parse(scheduled_at) : null,
    JSON.stringify(fields),
  ];
}
