import { invalidParameters, invalidRequest } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import { about } from '#contract/parameters.ts';
import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import type { EventLog } from './log.ts';
import type { Caller } from '#server/auth/caller.ts';
import { checkAccess } from '#server/http/access-checks.ts';

/** The position in the log at which a stream begins, and that at which it ends if it ends. */
export interface Period {
  /** Number of the entry after which it begins. */
  readonly from: number;
  /** Epoch ms of the first entry that it does not have; absent if the stream goes on. */
  readonly until?: number;
}

/** The part of a log that a request names. */
export interface PeriodRequest {
  readonly backfill_minutes: number;
  /** Epoch ms. */
  readonly start_time?: number | undefined;
  readonly end_time?: number | undefined;
}

/** The names that a stream gives the parameters. */
export type PeriodNames = Readonly<Record<keyof PeriodRequest, string>>;

const NAMES: PeriodNames = {
  backfill_minutes: 'backfill_minutes',
  start_time: 'start_time',
  end_time: 'end_time',
};

function checkRecovery(request: PeriodRequest, now: number, names: PeriodNames): void {
  const { start_time: start, end_time: end, backfill_minutes: backfill } = request;
  const { start_time: nameOfStart, end_time: nameOfEnd, backfill_minutes: nameOfBackfill } = names;
  if (start === undefined) {
    const message = `The \`${nameOfEnd}\` query parameter needs \`${nameOfStart}\``;
    throw invalidParameters([{ parameter: nameOfStart, message }]);
  }
  if (backfill > 0) {
    const message = `A stream begins at \`${nameOfStart}\` or \`${nameOfBackfill}\` ago: give at most one of them`;
    throw invalidRequest(nameOfBackfill, String(backfill), message);
  }
  const refuse = (parameter: string, at: number, rule: string): never => {
    const value = formatInstant(at);
    throw invalidRequest(parameter, value, `${about(parameter, value)} ${rule}`);
  };
  if (start < now - DAY_MS) refuse(nameOfStart, start, 'is more than 24 hours ago');
  if (start > now) refuse(nameOfStart, start, 'is in the future');
  if (end === undefined) return;
  if (end > now) refuse(nameOfEnd, end, 'is in the future');
  if (end <= start) refuse(nameOfEnd, end, `is not after \`${nameOfStart}\``);
}

/**
 * The part of a log that a request asks for. Backfill and recovery are for enterprise (platform-facts, section 5).
 *
 * @param now - epoch ms.
 * @throws {@link Fault} 403 for another access level, 400 for a period outside the last 24 hours.
 */
export function periodOf(
  log: EventLog,
  request: PeriodRequest,
  caller: Caller,
  now: number,
  names = NAMES,
): Period {
  const { backfill_minutes: backfill, start_time: start, end_time: end } = request;
  const recovers = start !== undefined || end !== undefined;
  if (!recovers && backfill === 0) return { from: log.last() };
  checkAccess(caller, {
    access: { levels: ['enterprise'], need: 'Backfill and recovery of a stream need' },
  });
  if (recovers) checkRecovery(request, now, names);
  const first = log.from(start ?? now - backfill * MINUTE_MS);
  return { from: first - 1, ...(recovers && { until: end ?? now }) };
}
