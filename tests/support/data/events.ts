import fc from 'fast-check';
import { byTime, EVENT_KINDS, type BoardEvent } from '#app/events/event.ts';
import { ARCHIVE_START, DAY_MS } from '#core/time/span.ts';
import { nasty } from './export-jobs.ts';

export const LAST = Date.UTC(2030, 0, 1);
export const instant = fc.integer({ min: ARCHIVE_START, max: LAST - 1 });

/** Events of every kind with hostile texts, in order of time. */
export const events = fc
  .array(
    fc.record({
      kind: fc.constantFrom(...EVENT_KINDS),
      start: instant,
      length: fc.option(fc.integer({ min: 1, max: 400 * DAY_MS })),
      title: nasty,
      detail: nasty,
      source: nasty,
    }),
    { maxLength: 12 },
  )
  .map((all) =>
    all
      .map(({ length, ...event }, i): BoardEvent => {
        const end = length === null ? null : event.start + length;
        return { ...event, id: `${i}`, end };
      })
      .sort(byTime),
  );
