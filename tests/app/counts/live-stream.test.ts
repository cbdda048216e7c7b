import { describe, expect, it, vi } from 'vitest';
import { LiveStream, type LiveMessage } from '#app/counts/live-stream.ts';
import { LIVE_SILENCE_MS, type LiveLine } from '#contract/counts/live.ts';

const line = (revision: number, spans: LiveLine['spans'] = []): LiveLine => ({
  source: 'posts',
  store: 's',
  revision,
  mark: 'm',
  spans,
});

/** A browser whose tabs share one place and a channel, and a service whose streams the test writes. */
function browser() {
  let now = 0;
  const waits: { until: number; done: () => void }[] = [];
  const listeners = new Map<object, (message: LiveMessage) => void>();
  let place = Promise.resolve();
  const streams: { write(text: string): void; end(): void; ended: AbortSignal }[] = [];
  let status = 200;
  const signIns = vi.fn(async () => {
    status = 200;
  });
  const send = vi.fn(async (_: string, { signal }: RequestInit): Promise<Response> => {
    if (status === 0) throw new TypeError('Failed to fetch');
    if (status !== 200) return new Response('', { status });
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        signal?.addEventListener('abort', () => controller.error(signal.reason));
        streams.push({
          write: (text) => controller.enqueue(encoder.encode(text)),
          end: () => controller.close(),
          ended: signal!,
        });
      },
    });
    return new Response(body);
  });
  const tab = () => {
    const seen: LiveLine[] = [];
    const me = {};
    const stream = new LiveStream(
      {
        send,
        signIn: signIns,
        tabs: {
          send: (message) => {
            for (const [other, hear] of listeners)
              if (other !== me) queueMicrotask(() => hear(message));
          },
          listen: (listener) => {
            listeners.set(me, listener);
            return () => listeners.delete(me);
          },
        },
        alone: (signal, work) => {
          const turn = place.then(() => (signal.aborted ? undefined : work()));
          place = turn.catch(() => undefined);
          return turn;
        },
        now: () => now,
        sleep: (ms, signal) =>
          new Promise((resolve) => {
            waits.push({ until: now + ms, done: resolve });
            signal.addEventListener('abort', () => resolve());
          }),
        random: () => 0.5,
      },
      (each) => seen.push(each),
    );
    return { stream, seen };
  };
  const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
  return {
    tab,
    streams,
    send,
    signIns,
    settle,
    answer: (with_: number) => void (status = with_),
    /** Time passes. */
    pass: async (ms: number) => {
      now += ms;
      for (const wait of waits.splice(0))
        if (wait.until <= now) wait.done();
        else waits.push(wait);
      await settle();
    },
  };
}
const text = (...lines: LiveLine[]): string =>
  lines.map((each) => `${JSON.stringify(each)}\r\n`).join('');

describe('the stream of changes', () => {
  it('is read by one tab, which tells the others, in whatever parts it comes', async () => {
    const { tab, streams, settle, send } = browser();
    const [a, b] = [tab(), tab()];
    a.stream.listen(true);
    b.stream.listen(true);
    await settle();
    expect([streams.length, send.mock.calls[0]?.[0]]).toEqual([1, '/live']);
    const whole = text(line(1, null), line(2));
    streams[0]?.write(whole.slice(0, 30));
    streams[0]?.write(whole.slice(30));
    await settle();
    for (const { seen, stream } of [a, b]) {
      expect(seen).toEqual([line(1, null), line(2)]);
      expect([stream.follows('posts'), stream.follows('sample')]).toEqual([true, false]);
    }
    // A tab that comes later hears where the sources are, and has to ask what changed before.
    const c = tab();
    c.stream.listen(true);
    await settle();
    expect(c.seen).toEqual([line(2, null)]);
  });

  it('passes to another tab when the first is hidden, and ends with the last', async () => {
    const { tab, streams, settle } = browser();
    const [a, b] = [tab(), tab()];
    a.stream.listen(true);
    b.stream.listen(true);
    await settle();
    a.stream.listen(false);
    await settle();
    expect([streams.length, streams[0]?.ended.aborted]).toEqual([2, true]);
    streams[1]?.write(text(line(3)));
    await settle();
    expect([a.seen, b.seen]).toEqual([[], [line(3)]]);
    expect(a.stream.follows('posts')).toBe(false);
    b.stream.listen(false);
    await settle();
    expect([streams.length, streams[1]?.ended.aborted]).toEqual([2, true]);
  });

  it('connects again after longer and longer waits, and at once after a long stream', async () => {
    const { tab, streams, settle, pass, answer, send } = browser();
    const { stream } = tab();
    stream.listen(true);
    await settle();
    streams[0]?.write(text(line(1)));
    await settle();
    answer(0);
    streams[0]?.end();
    await settle();
    expect(stream.follows('posts')).toBe(false);
    const tries: number[] = [];
    for (let i = 0; i < 8; i += 1) {
      await pass(1000);
      tries.push(send.mock.calls.length);
    }
    expect(tries).toEqual([2, 3, 3, 4, 4, 4, 4, 5]);
    answer(200);
    await pass(60_000);
    expect(streams).toHaveLength(2);
    await pass(LIVE_SILENCE_MS + 1);
    streams[1]?.end();
    await settle();
    await pass(500);
    expect(streams).toHaveLength(3);
  });

  it('gives up a connection without a word, and a line that it cannot read', async () => {
    const { tab, streams, settle, pass } = browser();
    const { stream, seen } = tab();
    stream.listen(true);
    await settle();
    streams[0]?.write(text(line(1)));
    await pass(LIVE_SILENCE_MS);
    streams[0]?.write('\r\n');
    await settle();
    await pass(2 * LIVE_SILENCE_MS);
    expect([stream.follows('posts'), streams[0]?.ended.aborted]).toEqual([true, false]);
    await pass(LIVE_SILENCE_MS);
    expect([stream.follows('posts'), streams[0]?.ended.aborted]).toEqual([false, true]);
    await pass(1000);
    streams[1]?.write('{"source":"posts"}\r\n');
    await settle();
    expect([streams[1]?.ended.aborted, seen]).toEqual([true, [line(1)]]);
  });

  it('signs in again once where the session has ended', async () => {
    const { tab, streams, settle, answer, signIns } = browser();
    answer(401);
    tab().stream.listen(true);
    await settle();
    expect([signIns.mock.calls.length, streams.length]).toEqual([1, 1]);
  });
});
