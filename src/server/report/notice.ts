import type { Channel } from '#contract/channels/channel.ts';
import { formatInstant } from '#contract/instant.ts';
import type { WrittenReport } from '#contract/counts/report.ts';
import { grouped } from '#core/format/number-text.ts';
import { retryTime, type Channels } from '#server/channels/channels.ts';
import type { ChannelMessage } from '#server/channels/forms.ts';
import { FetchError } from '#server/fetcher/fetch-error.ts';
import { wait, type ScheduleDeps } from './schedule.ts';

/** Most series that a notice names. */
const MOST_SERIES = 50;

/**
 * The notice of a report.
 *
 * @param file - Name of the file, without its folder.
 * @param at - The time at which the report was written, epoch ms.
 */
export function noticeOf(
  report: Omit<WrittenReport, 'bytes'>,
  file: string,
  at: number,
): ChannelMessage {
  const { title, subtitle } = report;
  const series = report.series.slice(0, MOST_SERIES);
  const lines = series.flatMap(({ name, posts }) =>
    posts === null ? [] : [`${name}: ${grouped(posts)} Posts`],
  );
  return {
    lines: [title, subtitle, ...lines, file].map((text) => ({ text, url: null })),
    data: { title, subtitle, file, written_at: formatInstant(at), series },
  };
}

/**
 * Sends a notice to a channel, again after a while if that fails.
 *
 * @param retried - The time for which it is sent again, ms; as {@link retryTime} by default.
 * @throws {@link FetchError} if it did not arrive; the reason of `stopping` if that came first.
 */
export async function sendNotice(
  channel: Channel,
  notice: ChannelMessage,
  channels: Pick<Channels, 'send'>,
  deps: ScheduleDeps,
  retried?: number,
): Promise<void> {
  const { now, stopping } = deps;
  const since = now();
  for (let tries = 0; ; tries += 1) {
    stopping.throwIfAborted();
    try {
      return await channels.send(channel, notice, stopping);
    } catch (error) {
      const again = retryTime({ tries, since }, now(), retried);
      if (!(error instanceof FetchError) || again === null) throw error;
      await wait(again - now(), deps);
    }
  }
}
