import * as v from 'valibot';
import { Whole } from '#contract/members.ts';
import { DATE_ORDERS } from '#core/import/stamp.ts';
import { ENCODINGS } from '#core/readers/encoding.ts';
import { ALL_TIME } from '#core/time/span.ts';
import { isZone } from '#core/time/zone-name.ts';
import { endpoint } from '#contract/endpoint.ts';
import { FIELDS } from '#core/import/field-names.ts';
import { DELIMITERS, QUOTES } from '#core/readers/csv-reader.ts';

/** Most columns of a sheet. */
const position = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(16_384));

/** The way to read the tables of an import, as `TableChoice` describes it; what is absent is guessed. */
export const TableOrder = v.strictObject({
  encoding: v.exactOptional(v.picklist(ENCODINGS)),
  delimiter: v.exactOptional(v.picklist(DELIMITERS)),
  quotes: v.exactOptional(v.picklist(QUOTES)),
  sheet: v.exactOptional(v.pipe(v.string(), v.minLength(1), v.maxLength(100))),
  header: v.exactOptional(Whole),
  columns: v.exactOptional(v.record(v.picklist(FIELDS), position)),
  dates: v.exactOptional(v.picklist(DATE_ORDERS)),
  zone: v.exactOptional(
    v.pipe(v.string(), v.maxLength(64), v.check(isZone, 'expected a time zone')),
  ),
});
export type TableOrder = v.InferOutput<typeof TableOrder>;

/** Reads `?table=…` of an import; null if it is not a {@link TableOrder} in JSON. */
export function readTableOrder(text: string): TableOrder | null {
  try {
    const read = v.safeParse(TableOrder, JSON.parse(text));
    return read.success ? read.output : null;
  } catch {
    return null;
  }
}

const instant = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(ALL_TIME.start),
  v.maxValue(ALL_TIME.end),
);

/** The time that imported files cover, as the user says; epoch ms. */
export const CoveredTime = v.pipe(
  v.strictObject({ start: instant, end: instant }),
  v.check(({ start, end }) => start < end, 'expected a start before the end'),
);
export type CoveredTime = v.InferOutput<typeof CoveredTime>;

/** Reads `?covers=START/END` of an import, two instants in ISO 8601; null if it is no {@link CoveredTime}. */
export function readCovers(text: string): CoveredTime | null {
  const [start = '', end = '', ...more] = text.split('/');
  const read = v.safeParse(CoveredTime, { start: Date.parse(start), end: Date.parse(end) });
  return read.success && more.length === 0 ? read.output : null;
}

/** `?covers=` of a time. */
export function coversText({ start, end }: CoveredTime): string {
  return `${new Date(start).toISOString()}/${new Date(end).toISOString()}`;
}

/** Importing from the dashboard. */
export const IMPORT = {
  /**
   * The body is the file, `?name=` its name, `&collection=` that of its collection if it is another, `&table=` a
   * {@link TableOrder} in JSON, and `&covers=` as {@link readCovers} reads it. The answer is one `ControlEvent` per line.
   */
  file: endpoint('POST', '/import', { authentication: ['session'] }),
  /** Stops the import that `WORK_HEADER` names. */
  stop: endpoint('POST', '/import/stop', { authentication: ['session'] }),
};
