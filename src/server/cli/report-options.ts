import { nextTime, schedulePattern, SCHEDULE_WORDS } from '#core/time/cron.ts';
import { UsageError, type Values } from './options.ts';

/** What `groundswell report` writes, and when. */
export interface ReportOrder {
  /** A file that the dashboard wrote, or the address of a view. */
  readonly board: string;
  /** Folder of the reports. */
  readonly out: string;
  /** Cron pattern; null for one report now. */
  readonly every: string | null;
  /** IANA name; null for the board's. */
  readonly zone: string | null;
  /** Address that gets a notice of each report; null for none. */
  readonly webhook: string | null;
  /** Whether the webhook may be on this machine and its network. */
  readonly allowPrivate: boolean;
}

function zoneOf(values: Values): string | null {
  const zone = values.get('zone')?.at(-1);
  if (zone === undefined) return null;
  try {
    // As the system writes it: `europe/berlin` is one too.
    return Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    throw new UsageError(`--zone ${zone} is not a time zone: expected one such as Europe/Berlin.`);
  }
}

function everyOf(values: Values): string | null {
  const text = values.get('every')?.at(-1);
  if (text === undefined) return null;
  const pattern = schedulePattern(text);
  const expected = `expected ${SCHEDULE_WORDS.join(', ')}, perhaps with a time such as "monday 07:30", or a cron pattern such as "0 9 * * 1"`;
  if (pattern === null) throw new UsageError(`--every ${text} is not a schedule: ${expected}.`);
  let next: number | null;
  try {
    next = nextTime(pattern, 'UTC', 0);
  } catch {
    throw new UsageError(`--every ${text} is not a schedule: ${expected}.`);
  }
  if (next === null) throw new UsageError(`--every ${text} is a time that never comes.`);
  return pattern;
}

/**
 * Reads `groundswell report …`.
 *
 * @throws {@link UsageError} without a board or a folder, and for an invalid value.
 */
export function reportOf([board, extra]: readonly string[], values: Values): ReportOrder {
  if (board === undefined || board === '') {
    throw new UsageError('Name the board: groundswell report BOARD --out DIR.');
  }
  if (extra !== undefined) {
    throw new UsageError(`Unexpected ${extra}: see groundswell report --help.`);
  }
  const out = values.get('out')?.at(-1);
  if (out === undefined || out === '') {
    throw new UsageError('Name a folder for the reports: --out DIR.');
  }
  const [every, zone] = [everyOf(values), zoneOf(values)];
  if (zone !== null && every === null) throw new UsageError('--zone belongs to --every.');
  const webhook = values.get('webhook')?.at(-1) ?? null;
  const allowPrivate = values.has('allow-private');
  if (allowPrivate && webhook === null) {
    throw new UsageError('--allow-private belongs to --webhook.');
  }
  return { board, out, every, zone, webhook, allowPrivate };
}
