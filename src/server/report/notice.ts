import type { WrittenReport } from '#contract/counts/report.ts';
import { grouped } from '#core/format/number-text.ts';
import { FetchError, type FetchFault } from '#server/fetcher/fetch-error.ts';
import type { Fetcher } from '#server/fetcher/fetcher.ts';
import { wait, type ScheduleDeps } from './schedule.ts';

/** The notice of a report that a webhook receives. Chat programs show `text`. */
export interface ReportNotice {
  readonly text: string;
  readonly title: string;
  /** The range, zone and source, in words. */
  readonly subtitle: string;
  /** Name of the file, without its folder. */
  readonly file: string;
  /** ISO. */
  readonly written_at: string;
  /** The series with their Posts in the range; null for one that does not count Posts, or whose count is unknown. */
  readonly series: readonly { readonly name: string; readonly posts: number | null }[];
}

/** Most series that a notice names. */
const MOST_SERIES = 50;

/** @param at - The time at which the report was written, epoch ms. */
export function noticeOf(
  report: Omit<WrittenReport, 'html'>,
  file: string,
  at: number,
): ReportNotice {
  const { title, subtitle } = report;
  const series = report.series.slice(0, MOST_SERIES);
  const lines = series.flatMap(({ name, posts }) =>
    posts === null ? [] : [`${name}: ${grouped(posts)} Posts`],
  );
  const text = [title, subtitle, ...lines, file].join('\n');
  return { text, title, subtitle, file, written_at: new Date(at).toISOString(), series };
}

/** The time to wait before each further attempt, ms. */
const RETRY_MS = [5_000, 30_000];

/** Faults that may pass. */
const PASSING: readonly FetchFault[] = ['status', 'timeout', 'connection'];

/**
 * Posts a notice to a webhook as JSON, again after a while if that fails: three times at most.
 *
 * @throws {@link FetchError} if it was not delivered; the reason of `stopping` if that came first.
 */
export async function sendNotice(
  url: string,
  notice: ReportNotice,
  fetcher: Pick<Fetcher, 'send'>,
  deps: ScheduleDeps,
): Promise<void> {
  const body = Buffer.from(JSON.stringify(notice));
  const headers = { 'content-type': 'application/json' };
  const { stopping: signal } = deps;
  for (let attempt = 0; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      await fetcher.send({ method: 'POST', url, headers, body, signal });
      return;
    } catch (error) {
      const pause = RETRY_MS[attempt];
      const passes = error instanceof FetchError && PASSING.includes(error.fault);
      if (!passes || pause === undefined) throw error;
      await wait(pause, deps);
    }
  }
}
