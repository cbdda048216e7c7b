import type { DisconnectReason, StreamName } from '#contract/streams/connections.ts';
import { Fault, plainProblem, PROBLEMS } from '#contract/fault.ts';
import type { SourceId } from '#contract/counts/source.ts';
import { errorMessage } from '#core/thrown.ts';
import { MINUTE_MS, SECOND_MS } from '#core/time/span.ts';
import type { Machine } from '#server/machine.ts';
import { connectionRecords, type Guarded } from './connection-records.ts';
import type { ConnectionTable } from './connection-table.ts';
import { LAST_LINE } from './disconnects.ts';
import { drainingReaders, stalledFor, type Reader } from './draining-readers.ts';
import { lineStream, type LineStream } from './line-stream.ts';

/** An empty line follows at most 20 seconds after the last one (platform-facts, section 5). */
const SILENCE_MS = 18 * SECOND_MS;
const TICK_MS = SECOND_MS;

/** A reader for which lines wait, and who takes none of them for this long, is too slow. */
const STALLED_MS = MINUTE_MS;

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

interface ConnectionDeps extends Pick<Machine, 'random' | 'now' | 'elapsed'> {
  readonly table: ConnectionTable;
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

interface Open extends NewConnection {
  readonly reader: Reader;
  readonly end: (reason: DisconnectReason) => void;
  /** The time at which the last line was sent, by the monotonic clock. */
  sent: number;
}

/** Opens the list of connections. Those that an earlier process left open are past. */
export function openConnections(deps: ConnectionDeps) {
  const { table, random, elapsed, every, log } = deps;
  const open = new Map<string, Open>();
  const draining = drainingReaders();
  let closed = false;
  const guarded: Guarded = (work, onError) => {
    try {
      return work();
    } catch (error) {
      log(`Connections: ${errorMessage(error)}`);
      onError?.();
      return undefined;
    }
  };
  const records = connectionRecords(table, guarded, deps);

  const all = (): { lines: LineStream; cut: () => void }[] => [
    ...Array.from(open.values(), ({ reader: { lines }, end }) => ({
      lines,
      cut: () => end('slow_reader'),
    })),
    ...Array.from(draining.all(), (reader) => ({
      lines: reader.lines,
      cut: () => draining.cut(reader),
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
    draining.check(at);
    for (const connection of open.values()) {
      connection.settle?.();
      if (guarded(() => connection.isAllowed?.()) === false) {
        connection.end('access_revoked');
        continue;
      }
      if (stalledFor(connection.reader, at) >= STALLED_MS) {
        connection.end('slow_reader');
        continue;
      }
      if (at - connection.sent < SILENCE_MS) continue;
      connection.reader.lines.keepAlive();
      connection.sent = at;
    }
    bound();
    records.settle(at);
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
        (connection) =>
          connection.app === app &&
          connection.source === source &&
          connection.stream === stream &&
          (connection.recovers ?? false) === (wanted.recovers ?? false),
      );
      if (same.length >= most) throw tooMany();
      const id = uuidOf(random(16));
      const ending = new AbortController();
      const finish = (reason: DisconnectReason): void => {
        open.delete(id);
        ending.abort();
        records.end(id, reason);
        wanted.settle?.();
      };
      const lines = lineStream(() => finish('client_disconnect'));
      const reader: Reader = { lines, cut: wanted.cut, reads: 0, since: elapsed() };
      const end = (reason: DisconnectReason): void => {
        if (ending.signal.aborted) return;
        if (reason === 'slow_reader') lines.drop();
        lines.end(LAST_LINE[reason]);
        draining.add(reader, elapsed());
        finish(reason);
      };
      records.begin({ id, app, source, stream, ip });
      const connection: Open = { ...wanted, reader, end, sent: elapsed() };
      open.set(id, connection);
      return {
        id,
        app,
        body: lines.body,
        ended: ending.signal,
        waiting: lines.waiting,
        drained: lines.drained,
        send: (line) => {
          connection.sent = elapsed();
          if (!lines.write(line)) end('slow_reader');
        },
        end,
      };
    },
    /** Ids of the open connections of an app, to one stream or to all. */
    of: (app: string, stream?: string): string[] =>
      [...open].flatMap(([id, connection]) =>
        connection.app === app && (stream === undefined || connection.stream === stream)
          ? [id]
          : [],
      ),
    /**
     * Ends a connection of an app.
     *
     * @returns False if the app has no open connection of that id.
     */
    end: (app: string, id: string, reason: DisconnectReason): boolean => {
      const connection = open.get(id);
      if (connection?.app !== app) return false;
      connection.end(reason);
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
