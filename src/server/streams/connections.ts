import type { DisconnectReason, StreamName } from '#contract/streams/connections.ts';
import { Fault, plainProblem, PROBLEMS } from '#contract/fault.ts';
import type { SourceId } from '#contract/counts/source.ts';
import { errorMessage } from '#core/thrown.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#core/time/span.ts';
import type { ConnectionTable } from './connection-table.ts';
import { LAST_LINE } from './disconnects.ts';
import { lineStream, type LineStream } from './line-stream.ts';

/** Past connections are listed for this long (specification, connections). */
const LISTED_MS = 7 * DAY_MS;

/** An empty line follows at most 20 seconds after the last one (platform-facts, section 5). */
const SILENCE_MS = 18 * SECOND_MS;
const TICK_MS = SECOND_MS;

/** A reader for which lines wait, and who takes none of them for this long, is too slow. */
const STALLED_MS = MINUTE_MS;

/** How long the reader of a stream that ended may take nothing of what still waits. */
const ENDING_MS = 10 * SECOND_MS;

/** Most bytes that wait for all readers. */
const MOST_WAITING_IN_ALL = 96 * 2 ** 20;

/** An open connection to a stream. */
export interface StreamConnection {
  /** UUID. */
  readonly id: string;
  readonly app: string;
  readonly body: ReadableStream<Uint8Array>;
  /** Aborted when the connection ends, whatever the reason. */
  readonly ended: AbortSignal;
  /** Sends a line. A reader that is too slow for it is disconnected. */
  send(line: string): void;
  /** Bytes that wait for the reader. */
  waiting(): number;
  /** Resolves when little waits for the reader, or when the connection has ended. */
  drained(): Promise<void>;
  /** Ends the connection with the platform's message about the reason. */
  end(reason: DisconnectReason): void;
}

export interface NewConnection {
  readonly app: string;
  readonly source: SourceId;
  readonly stream: StreamName;
  /** Address of the client; null if it is unknown. */
  readonly ip: string | null;
  /** Connections of the same kind that the app may have to the stream at once. */
  readonly most: number;
  /** True if it reads a past period and then ends. Such connections are limited apart from others. */
  readonly recovers?: boolean;
  /** True if the app may still use it; checked every second. */
  readonly isAllowed?: () => boolean;
  /** Does what need not be done for each line; called every second and once when the connection has ended. */
  readonly settle?: () => void;
  /** Closes the connection to a client that does not read what remains of its stream. */
  readonly cut?: (() => void) | undefined;
}

/** The open connections to all streams. */
export type Connections = ReturnType<typeof openConnections>;

interface ConnectionDeps {
  readonly table: ConnectionTable;
  readonly random: (n: number) => Uint8Array;
  /** Epoch ms. */
  readonly now: () => number;
  /** A monotonic clock, ms. */
  readonly elapsed: () => number;
  /** Calls `run` every `ms`, until the function that it returns is called. */
  readonly every: (ms: number, run: () => void) => () => void;
  /** Logs a line about an error. */
  readonly log: (line: string) => void;
}

/** Recorded (platform-facts, section 5). */
function tooMany(): Fault {
  return new Fault(429, {
    title: 'ConnectionException',
    detail: 'This stream is currently at the maximum allowed connection limit.',
    connection_issue: 'TooManyConnections',
    type: `${PROBLEMS}streaming-connection`,
  });
}

/** A version 4 UUID (RFC 9562). */
function uuidOf(bytes: Uint8Array): string {
  const set = Uint8Array.from(bytes);
  set[6] = ((set[6] ?? 0) & 0x0f) | 0x40;
  set[8] = ((set[8] ?? 0) & 0x3f) | 0x80;
  const hex = Buffer.from(set).toString('hex');
  return [0, 8, 12, 16, 20].map((from, i, all) => hex.slice(from, all[i + 1])).join('-');
}

/** How a reader gets on. */
interface Reading {
  readonly lines: LineStream;
  readonly cut: NewConnection['cut'];
  /** How often it had read at {@link Reading.since}. */
  reads: number;
  /** When it last read, or when nothing waited, by the monotonic clock. */
  since: number;
}

interface Open extends NewConnection {
  readonly reading: Reading;
  readonly lines: LineStream;
  readonly end: (reason: DisconnectReason) => void;
  /** When the last line was sent, by the monotonic clock. */
  sent: number;
}

/** How long a reader has taken none of the lines that wait for it, ms. */
function stalledFor(reading: Reading, at: number): number {
  const { lines } = reading;
  if (lines.waiting() === 0 || lines.reads() !== reading.reads) {
    reading.reads = lines.reads();
    reading.since = at;
  }
  return at - reading.since;
}

/** Opens the list of connections. Those that an earlier process left open are past. */
export function openConnections(deps: ConnectionDeps) {
  const { table, random, now, elapsed, every, log } = deps;
  const open = new Map<string, Open>();
  /** Streams that ended and whose readers still get what waits. */
  const draining = new Set<Reading>();
  let closed = false;
  /** When past connections were last forgotten, by the monotonic clock. */
  let forgotten = elapsed();
  /** What records the ends of connections that the file did not take yet. */
  const unrecorded = new Map<string, () => void>();
  table.interrupt();

  /** Does something with the file. An error, such as of a full disk, must not end the service: it is logged. */
  const guarded = <T>(work: () => T, onError?: () => void): T | undefined => {
    try {
      return work();
    } catch (error) {
      log(`Connections: ${errorMessage(error)}`);
      onError?.();
      return undefined;
    }
  };

  const all = (): { lines: LineStream; cut: () => void }[] => [
    ...[...open.values()].map(({ lines, end }) => ({ lines, cut: () => end('slow_reader') })),
    ...[...draining].map((reading) => ({
      lines: reading.lines,
      cut: () => {
        draining.delete(reading);
        reading.lines.drop();
        reading.cut?.();
      },
    })),
  ];
  const waiting = (): number => all().reduce((sum, { lines }) => sum + lines.waiting(), 0);

  /** Disconnects the readers with the most waiting lines until all queues are within their bound. */
  const bound = (): void => {
    while (waiting() > MOST_WAITING_IN_ALL) {
      const [slowest] = all().sort((a, b) => b.lines.waiting() - a.lines.waiting());
      slowest?.cut();
    }
  };

  const stop = every(TICK_MS, () => {
    const at = elapsed();
    for (const reading of draining) {
      if (reading.lines.waiting() === 0) draining.delete(reading);
      else if (stalledFor(reading, at) >= ENDING_MS) {
        draining.delete(reading);
        reading.lines.drop();
        reading.cut?.();
      }
    }
    for (const one of open.values()) {
      one.settle?.();
      if (guarded(() => one.isAllowed?.()) === false) {
        one.end('access_revoked');
        continue;
      }
      if (stalledFor(one.reading, at) >= STALLED_MS) {
        one.end('slow_reader');
        continue;
      }
      if (at - one.sent < SILENCE_MS) continue;
      one.lines.keepAlive();
      one.sent = at;
    }
    bound();
    const waiting = [...unrecorded.values()];
    unrecorded.clear();
    for (const record of waiting) record();
    if (at - forgotten < MINUTE_MS) return;
    forgotten = at;
    guarded(() => table.forget(now() - LISTED_MS));
  });

  return {
    /**
     * @throws {@link Fault} 429 if the app has as many connections to the stream as it may have, 503 if the service is
     *   ending.
     */
    open: (wanted: NewConnection): StreamConnection => {
      if (closed) throw plainProblem(503, 'Service Unavailable', 'The service is ending.');
      const { app, source, stream, ip, most } = wanted;
      const same = [...open.values()].filter(
        (one) =>
          one.app === app &&
          one.source === source &&
          one.stream === stream &&
          (one.recovers ?? false) === (wanted.recovers ?? false),
      );
      if (same.length >= most) throw tooMany();
      const id = uuidOf(random(16));
      const ending = new AbortController();
      const finish = (reason: DisconnectReason): void => {
        open.delete(id);
        ending.abort();
        const ended = now();
        const record = (): void => {
          guarded(
            () => table.end(id, reason, ended),
            () => unrecorded.set(id, record),
          );
        };
        record();
        wanted.settle?.();
      };
      const lines = lineStream(() => finish('client_disconnect'));
      const reading: Reading = { lines, cut: wanted.cut, reads: 0, since: elapsed() };
      const end = (reason: DisconnectReason): void => {
        if (ending.signal.aborted) return;
        if (reason === 'slow_reader') lines.drop();
        lines.end(LAST_LINE[reason]);
        reading.since = elapsed();
        draining.add(reading);
        finish(reason);
      };
      table.forget(now() - LISTED_MS);
      table.add({
        id,
        app,
        source,
        stream,
        ip,
        connectedAt: now(),
        disconnectedAt: null,
        reason: null,
      });
      const one: Open = { ...wanted, reading, lines, end, sent: elapsed() };
      open.set(id, one);
      return {
        id,
        app,
        body: lines.body,
        ended: ending.signal,
        waiting: lines.waiting,
        drained: lines.drained,
        send: (line) => {
          one.sent = elapsed();
          if (!lines.write(line)) end('slow_reader');
        },
        end,
      };
    },
    /** Ids of the open connections of an app, to one stream or to all. */
    of: (app: string, stream?: string): string[] =>
      [...open].flatMap(([id, one]) =>
        one.app === app && (stream === undefined || one.stream === stream) ? [id] : [],
      ),
    /**
     * Ends a connection of an app.
     *
     * @returns False if the app has no open connection of that id.
     */
    end: (app: string, id: string, reason: DisconnectReason): boolean => {
      const one = open.get(id);
      if (one?.app !== app) return false;
      one.end(reason);
      return true;
    },
    /** Bytes that wait for all readers. */
    waiting,
    /** Ends all connections, because the service ends. */
    close: () => {
      stop();
      closed = true;
      for (const { end } of open.values()) end('operational_disconnect');
    },
  };
}
