import type { Formatter } from '#app/format/formatter.ts';
import type { ConsoleResult } from '#contract/ads/console.ts';

/** The part of an import that is done. */
export interface ConsoleProgress {
  /** Bytes while the file is sent, then rows. */
  readonly unit: 'bytes' | 'rows';
  readonly done: number;
  readonly total: number;
}

/** Names of fields that differ from their own. */
const FIELD_TEXTS: Readonly<Record<string, string>> = {
  billed_charge_local_micro: 'Spend',
  line_item: 'Ad group',
  line_item_id: 'Ad group id',
  promoted_tweet_id: 'Ad id',
  tweet_id: 'Post id',
  time: 'Day or hour',
  url_clicks: 'Link clicks',
  retweets: 'Reposts',
};

/** `daily_budget` as `Daily budget`. */
export function fieldText(field: string): string {
  const plain = field.replaceAll('_', ' ');
  return FIELD_TEXTS[field] ?? plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** A message about a file, of which the command says how to map columns. */
export function consoleFaultText(message: string, file: string): string {
  const named = message.startsWith(`${file}: `) ? `It ${message.slice(file.length + 2)}` : message;
  const at = named.indexOf('; name one with --map');
  return at < 0
    ? named
    : `${named.slice(0, at)}. Name that column Campaign in the file, or use the command with --map campaign=COLUMN.`;
}

/** `Sent 3 MB of 12 MB`, `1,200 of 4,500 rows`. */
export function consoleProgressText(
  { unit, done, total }: ConsoleProgress,
  format: Pick<Formatter, 'bytes' | 'count' | 'counted'>,
): string {
  return unit === 'bytes'
    ? `Sent ${format.bytes(done)} of ${format.bytes(total)}`
    : `${format.count(done)} of ${format.counted(total, 'row')}`;
}

/** `12 rows, 2 campaigns: 3 with a new campaign or part of one, 8 with new figures or changes, 0 unchanged, 1 refused.` */
export function consoleResultText(
  { read, created, updated, unchanged, refused, account, campaigns }: ConsoleResult,
  format: Pick<Formatter, 'count' | 'counted'>,
): string {
  const counts = [
    [created, 'with a new campaign or part of one'],
    [updated, 'with new figures or changes'],
    [unchanged, 'unchanged'],
    [refused, 'refused'],
  ] as const;
  const text = counts.map(([rows, what]) => `${format.count(rows)} ${what}`).join(', ');
  const none = account === null ? ' No ad account was created.' : '';
  const found = format.counted(campaigns.total, 'campaign');
  return `${format.counted(read, 'row')}, ${found}: ${text}.${none}`;
}
