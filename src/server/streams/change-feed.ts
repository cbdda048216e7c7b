import { LIVE_SILENCE_MS, type LiveLine } from '#contract/counts/live.ts';
import { plainProblem } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import { errorMessage } from '#core/thrown.ts';
import { SECOND_MS } from '#core/time/span.ts';
import type { FindSource } from '#server/http/current-source.ts';
import type { Machine } from '#server/machine.ts';
import { lineStream, type LineStream } from './line-stream.ts';
import type { EventLog } from './log.ts';
import { paced } from './paced.ts';

/** Time between two lines, of whatever streams: each lets a page request the counts of its topics. */
const TURN_MS = 40;

/** Streams that one session, and all sessions, may have open. A browser has one. */
const MOST = { session: 4, all: 256 } as const;

const SOURCES = ['posts', 'sample'] as const;

/** A reader of changes. */
export interface FeedReader {
  /** Names its session. */
  readonly session: string;
  /** True if it may still read; checked every second. */
  readonly isAllowed: () => boolean;
}

export interface ChangeFeedDeps extends Pick<Machine, 'timer' | 'every' | 'elapsed' | 'log'> {
  /** Finds an open source. */
  readonly source: FindSource;
  /** The log of a source; null where its changes are not known, as in a cluster. */
  readonly events: (id: (typeof SOURCES)[number]) => EventLog | null;
  /** Called every second before sources are read; must not reject. */
  readonly prepare: () => Promise<void>;
}

interface Open extends FeedReader {
  readonly lines: LineStream;
  readonly end: () => void;
  /** The state of each source by its last line. */
  readonly points: Map<string, Pick<LiveLine, 'store' | 'revision' | 'mark'>>;
  /** The time of its last line, by the monotonic clock. */
  at: number;
}

/**
 * Opens the streams of changes. Appended events wake them at once; imports and other processes are noticed within a second.
 * All streams share one pace and take turns, and each line has everything since the stream's last one: pages that
 * follow many topics get fewer lines, and none waits in memory.
 */
export function openChangeFeed(deps: ChangeFeedDeps) {
  const { source: find, events, prepare, timer, every, elapsed, log } = deps;
  const streams = new Set<Open>();
  const due = new Set<Open>();
  let closed = false;

  /** The lines that a stream lacks. */
  const news = ({ points }: Open): LiveLine[] =>
    SOURCES.flatMap((id): LiveLine[] => {
      const source = events(id) && find(id);
      if (!source) return [];
      source.refresh();
      const { store, revision, mark } = source.index;
      const was = points.get(id);
      if (was?.store === store && was.revision === revision && was.mark === mark) return [];
      points.set(id, { store, revision, mark });
      const spans = was?.store === store ? source.index.changesSince(was.revision, was.mark) : null;
      const texts = spans?.map(({ start, end }) => ({
        start: formatInstant(start),
        end: formatInstant(end),
      }));
      return [{ source: id, store, revision, mark, spans: texts ?? null }];
    });
  const send = (stream: Open): void => {
    // A reader that is slow gets one line for all that happens meanwhile.
    if (stream.lines.waiting() > 0) return;
    try {
      for (const line of news(stream)) {
        stream.lines.write(JSON.stringify(line));
        stream.at = elapsed();
      }
    } catch (error) {
      log(`Live counts: ${errorMessage(error)}`);
      stream.end();
    }
  };
  const turn = paced(
    TURN_MS,
    () => {
      const [next] = due;
      if (!next) return;
      due.delete(next);
      send(next);
      if (due.size > 0) turn();
    },
    timer,
  );
  const wake = (): void => {
    for (const stream of streams) due.add(stream);
    if (due.size > 0) turn();
  };
  const unhear = SOURCES.map((id) => events(id)?.onAppend(wake));
  const stop = every(SECOND_MS, async () => {
    if (streams.size === 0) return;
    await prepare();
    for (const stream of streams) {
      if (!stream.isAllowed()) stream.end();
      else if (elapsed() - stream.at >= LIVE_SILENCE_MS - SECOND_MS) {
        stream.lines.keepAlive();
        stream.at = elapsed();
      }
    }
    wake();
  });

  return {
    /**
     * Opens a stream of lines of JSON, each a {@link LiveLine}, until its reader goes.
     *
     * @throws {@link Fault} 429 if its session, or all, have as many as they may have; 503 if the service is ending.
     */
    open: (reader: FeedReader): ReadableStream<Uint8Array> => {
      if (closed) throw plainProblem(503, 'Service Unavailable', 'The service is ending.');
      const own = [...streams].filter(({ session }) => session === reader.session);
      if (own.length >= MOST.session || streams.size >= MOST.all) {
        throw plainProblem(429, 'Too Many Requests', 'Too many streams of live counts are open.');
      }
      const forget = (): void => {
        streams.delete(stream);
        due.delete(stream);
      };
      const lines = lineStream(forget);
      const end = (): void => {
        forget();
        lines.end(null);
      };
      const stream: Open = { ...reader, lines, end, points: new Map(), at: elapsed() };
      streams.add(stream);
      send(stream);
      return lines.body;
    },
    /** Ends all streams, because the service ends. */
    close: (): void => {
      closed = true;
      stop();
      for (const each of unhear) each?.();
      for (const { end } of streams) end();
    },
  };
}
