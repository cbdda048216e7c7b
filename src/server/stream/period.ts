import { invalidParameters, invalidRequest } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import { about } from '#contract/parameters.ts';
import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import type { Caller } from '#server/auth/tokens.ts';
import { checkAccess } from '#server/http/auth-guard.ts';
import type { EventLog } from './log.ts';

/** Where in the log a stream begins, and where it ends if it ends. */
export interface Period {
  /** Number of the entry after which it begins. */
  readonly from: number;
  /** Epoch ms of the first entry that it does not have; absent if the stream goes on. */
  readonly until?: number;
}

interface Request {
  readonly backfill_minutes: number;
  /** Epoch ms. */
  readonly start_time?: number | undefined;
  readonly end_time?: number | undefined;
}

function checkRecovery(request: Request, now: number): void {
  const { start_time: start, end_time: end, backfill_minutes: backfill } = request;
  if (start === undefined) {
    throw invalidParameters([
      { parameter: 'start_time', message: 'The `end_time` query parameter needs `start_time`' },
    ]);
  }
  if (backfill > 0) {
    const message =
      'A stream begins at `start_time` or `backfill_minutes` ago: give at most one of them';
    throw invalidRequest('backfill_minutes', String(backfill), message);
  }
  const refuse = (parameter: string, at: number, rule: string): never => {
    const value = formatInstant(at);
    throw invalidRequest(parameter, value, `${about(parameter, value)} ${rule}`);
  };
  if (start < now - DAY_MS) refuse('start_time', start, 'is more than 24 hours ago');
  if (start > now) refuse('start_time', start, 'is in the future');
  if (end === undefined) return;
  if (end > now) refuse('end_time', end, 'is in the future');
  if (end <= start) refuse('end_time', end, 'is not after `start_time`');
}

/**
 * The part of a log that a request asks for. Backfill and recovery are for enterprise (platform-facts, section 5).
 *
 * @param now - epoch ms.
 * @throws {@link Fault} 403 for another access level, 400 for a period outside the last 24 hours.
 */
export function periodOf(log: EventLog, request: Request, caller: Caller, now: number): Period {
  const { backfill_minutes: backfill, start_time: start, end_time: end } = request;
  const recovers = start !== undefined || end !== undefined;
  if (!recovers && backfill === 0) return { from: log.last() };
  checkAccess(caller, {
    access: { levels: ['enterprise'], need: 'Backfill and recovery of a stream need' },
  });
  if (recovers) checkRecovery(request, now);
  const first = log.from(start ?? now - backfill * MINUTE_MS);
  return { from: first - 1, ...(recovers && { until: end ?? now }) };
}
