import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '#core/time/span.ts';
import { FetchError, type FetchFault } from '#server/fetcher/fetch-error.ts';
import { noticeOf, sendNotice } from '#server/report/notice.ts';
import { FakeClock } from '#tests/support/timers.ts';

const AT = Date.UTC(2026, 10, 23, 5);
const NOTICE = noticeOf(
  {
    title: 'Tea week',
    subtitle: 'Posts per day · Nov 16 – 22, 2026',
    zone: 'UTC',
    series: [
      { name: 'Tea', posts: 1234 },
      { name: 'Share', posts: null },
    ],
  },
  'Tea week 2026-11-23.html',
  AT,
);

/** Sends the notice to a webhook that fails as given, then answers; when it was asked, from the start. */
async function sending(faults: readonly FetchFault[]) {
  const clock = new FakeClock(AT);
  const stop = new AbortController();
  const asked: number[] = [];
  const channels = {
    send: () => {
      const fault = faults[asked.length];
      asked.push(clock.at - AT);
      return fault
        ? Promise.reject(new FetchError(fault, `The webhook failed: ${fault}.`))
        : Promise.resolve();
    },
  };
  const deps = { now: clock.now, timer: clock.timer, stopping: stop.signal };
  const channel = { kind: 'webhook', address: 'https://hook.example/' } as const;
  const sent = sendNotice(channel, NOTICE, channels, deps, MINUTE_MS).then(
    () => null,
    (error: unknown) => error,
  );
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 10; i += 1) await Promise.resolve();
  };
  return { clock, asked, sent, stop, settle };
}

describe('a notice of a report', () => {
  it('has a text, and its parts for webhooks', () => {
    expect(NOTICE).toEqual({
      lines: [
        'Tea week',
        'Posts per day · Nov 16 – 22, 2026',
        'Tea: 1,234 Posts',
        'Tea week 2026-11-23.html',
      ].map((text) => ({ text, url: null })),
      data: {
        title: 'Tea week',
        subtitle: 'Posts per day · Nov 16 – 22, 2026',
        file: 'Tea week 2026-11-23.html',
        written_at: '2026-11-23T05:00:00.000Z',
        series: [
          { name: 'Tea', posts: 1234 },
          { name: 'Share', posts: null },
        ],
      },
    });
  });

  it.each<[FetchFault[], number[], string | null]>([
    [['connection'], [0, 5000], null],
    [['status', 'timeout'], [0, 5000, 25_000], null],
    [['status', 'status', 'timeout'], [0, 5000, 25_000], 'The webhook failed: timeout.'],
  ])('after %j is sent at %j ms', async (faults, times, message) => {
    const { clock, asked, sent, settle } = await sending(faults);
    await clock.move(2 * MINUTE_MS, settle);
    const error = await sent;
    expect(asked).toEqual(times);
    expect(error instanceof Error ? error.message : null).toBe(message);
  });

  it('is not sent again after the signal', async () => {
    const { asked, sent, stop, settle } = await sending(['timeout']);
    await settle();
    stop.abort();
    expect(await sent).toBe(stop.signal.reason);
    expect(asked).toEqual([0]);
  });
});
