import { RESOLUTIONS, type Resolution } from '#core/time/resolution.ts';
import { choiceOf, UsageError, type Option, type Values } from './options.ts';

export const TIME_OPTIONS = {
  from: { type: 'string' },
  to: { type: 'string' },
  zone: { type: 'string' },
} as const satisfies Readonly<Record<string, Option>>;

export const TIME_HELP = `  --from TIME, --to TIME
                 the range, without its end: a day such as 2024-01-31, or a time such as "2024-01-31 08:30" in
                 the zone or 2024-01-31T08:30:00Z
  --zone ZONE    time zone of days and times without an offset, such as Europe/Berlin (default: UTC)`;

/** A range as typed: its ends, and the zone of its days. */
export interface RangeOrder {
  readonly from: string | null;
  readonly to: string | null;
  /** IANA name. */
  readonly zone: string;
}

/** @throws {@link UsageError} for an unknown zone. */
export function rangeOf(values: Values): RangeOrder {
  const zone = values.get('zone')?.at(-1) ?? 'UTC';
  try {
    Intl.DateTimeFormat('en-US', { timeZone: zone });
  } catch {
    throw new UsageError(`--zone ${zone} is not a time zone, such as Europe/Berlin.`);
  }
  return { from: values.get('from')?.at(-1) ?? null, to: values.get('to')?.at(-1) ?? null, zone };
}

/** The width of buckets; null for the one that fits. */
export function granularityOf(values: Values): Resolution | null {
  return choiceOf(values, 'granularity', RESOLUTIONS);
}
