import { FIRST_YEAR, LAST_YEAR } from '#contract/ads/ad-statistics.ts';
import { plainName } from '#core/import/fields.ts';
import { readAmount, readCount, type DecimalMark } from '#core/import/number.ts';
import { readStamp, type DateOrder } from '#core/import/stamp.ts';
import { shown } from '#core/readers/error.ts';

/** The time of the figures of a row. */
export interface ConsoleTime {
  /** A day or a time of day in the account's time zone, or a time with an offset from UTC. */
  readonly form: 'day' | 'local' | 'instant';
  /** Epoch ms; without an offset the local time, as if it were UTC. */
  readonly at: number;
  /** As the file has it. */
  readonly text: string;
}

/** The reason a row is not read: one sentence without file and line. */
export class RowFault extends Error {
  override readonly name = 'RowFault';
}

/** Reads a time or a day. @throws {@link RowFault} */
export function consoleTime(field: string, text: string, order: DateOrder | null): ConsoleTime {
  const read = readStamp(text, order);
  const year = read && new Date(read.at).getUTCFullYear();
  if (read && year !== null && year >= FIRST_YEAR && year <= LAST_YEAR) {
    const form = read.isExact ? 'instant' : read.isDay ? 'day' : 'local';
    return { form, at: read.at, text };
  }
  const form = 'a time such as 2026-01-31, 2026-01-31 08:00 or 2026-01-31T08:00:00-07:00';
  throw new RowFault(`expected ${form} as ${field}, got "${shown(text)}"`);
}

/** Reads a code of a currency. @throws {@link RowFault} */
export function consoleCurrency(field: string, text: string): string {
  const code = text.toUpperCase();
  if (/^[A-Z]{3}$/.test(code)) return code;
  throw new RowFault(`expected a currency such as EUR as ${field}, got "${shown(text)}"`);
}

/** Reads a whole number. @throws {@link RowFault} */
export function consoleWhole(field: string, text: string): number {
  const count = readCount(text);
  if (count !== null) return count;
  throw new RowFault(`expected a whole number as ${field}, got "${shown(text)}"`);
}

/** An amount such as `12.5`, in millionths. */
export function consoleMicros(field: string, text: string, mark: DecimalMark | null): number {
  const micros = readAmount(text, mark);
  if (micros !== null) return micros;
  throw new RowFault(`expected an amount such as 12.50 as ${field}, got "${shown(text)}"`);
}

/** Words of consoles for a campaign that runs or will, and for one that does not. */
const STATUSES: Readonly<Record<string, readonly string[]>> = {
  ACTIVE: [
    'active',
    'running',
    'enabled',
    'on',
    'live',
    'serving',
    'learning',
    'scheduled',
    'pending',
    'upcoming',
    'in review',
    'under review',
  ],
  PAUSED: [
    'paused',
    'off',
    'inactive',
    'disabled',
    'stopped',
    'halted',
    'suspended',
    'rejected',
    'exhausted',
    'budget exhausted',
    'deleted',
    'removed',
    'archived',
  ],
  DRAFT: ['draft', 'incomplete'],
};
/** Words for a campaign that is over: its end says so, if the row has it. */
const ENDED = ['completed', 'complete', 'expired', 'ended', 'finished'];

/** The status of an entity that a word of a console means; null for an unknown word. */
export function consoleStatus(word: string, hasEnd: boolean): string | null {
  const plain = plainName(word);
  if (ENDED.includes(plain)) return hasEnd ? 'ACTIVE' : 'PAUSED';
  return Object.keys(STATUSES).find((status) => STATUSES[status]?.includes(plain)) ?? null;
}

/** Longest name of an entity. */
const MOST_NAME = 255;

/** Reads an id; null for none. @throws {@link RowFault} */
export function consoleId(field: string, id: string): string | null {
  if (id === '') return null;
  if (/^[0-9a-z]{1,20}$/.test(id)) return id;
  throw new RowFault(`expected an id as ${field}, got "${shown(id)}"`);
}

/** Reads a name. @throws {@link RowFault} */
export function consoleName(field: string, name: string): string {
  if (Array.from(name).length <= MOST_NAME && !/[\0\p{Surrogate}]/u.test(name)) return name;
  throw new RowFault(`expected at most ${MOST_NAME} characters as ${field}, got "${shown(name)}"`);
}
