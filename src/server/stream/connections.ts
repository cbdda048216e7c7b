import type { DisconnectReason, StreamName } from '#contract/connections.ts';
import { Fault, PROBLEMS } from '#contract/fault.ts';
import type { SourceId } from '#contract/source.ts';
import { DAY_MS, SECOND_MS } from '#core/time/span.ts';
import type { ConnectionTable } from './connection-table.ts';
import { LAST_LINE } from './disconnects.ts';
import { lineStream } from './line-stream.ts';
import type { LineStream } from './line-stream.ts';

/** Past connections are listed for this long (specification, connections). */
const LISTED_MS = 7 * DAY_MS;

/** An empty line follows at most 20 seconds after the last one (platform-facts, section 5). */
const SILENCE_MS = 18 * SECOND_MS;
const TICK_MS = SECOND_MS;

/** Most bytes that wait for all readers. */
const MOST_WAITING_IN_ALL = 96 * 2 ** 20;

/** An open connection to a stream. */
export interface Connection {
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
  /** Whether it reads a past period and then ends. Such connections are limited apart from others. */
  readonly recovers?: boolean;
  /** Whether the app may still use it; checked every second. */
  readonly isAllowed?: () => boolean;
}

/** The open connections to all streams. */
export interface Connections {
  /** @throws {@link Fault} 429 if the app has as many connections to the stream as it may have. */
  open(connection: NewConnection): Connection;
  /** Ids of the open connections of an app, to one stream or to all. */
  of(app: string, stream?: string): string[];
  /**
   * Ends a connection of an app.
   *
   * @returns False if the app has no open connection of that id.
   */
  end(app: string, id: string, reason: DisconnectReason): boolean;
  /** Bytes that wait for all readers. */
  waiting(): number;
  /** Ends all connections, because the service ends. */
  close(): void;
}

export interface ConnectionDeps {
  readonly table: ConnectionTable;
  readonly random: (n: number) => Uint8Array;
  /** Epoch ms. */
  readonly now: () => number;
  /** A monotonic clock, ms. */
  readonly elapsed: () => number;
  /** Calls `run` every `ms`, until the function that it returns is called. */
  readonly every: (ms: number, run: () => void) => () => void;
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
  readonly lines: LineStream;
  readonly end: (reason: DisconnectReason) => void;
  /** When the last line was sent, by the monotonic clock. */
  sent: number;
}

/** Opens the list of connections. Those that an earlier process left open are past. */
export function openConnections(deps: ConnectionDeps): Connections {
  const { table, random, now, elapsed, every } = deps;
  const open = new Map<string, Open>();
  /** Streams that ended and whose readers still get what waits. */
  const draining = new Set<LineStream>();
  table.interrupt();

  const all = (): { lines: LineStream; cut: () => void }[] => [
    ...[...open.values()].map(({ lines, end }) => ({ lines, cut: () => end('slow_reader') })),
    ...[...draining].map((lines) => ({ lines, cut: lines.drop })),
  ];
  const waiting = (): number => all().reduce((sum, { lines }) => sum + lines.waiting(), 0);

  /** Disconnects the readers with the most waiting lines until all queues are within their bound. */
  const bound = (): void => {
    for (const lines of draining) if (lines.waiting() === 0) draining.delete(lines);
    while (waiting() > MOST_WAITING_IN_ALL) {
      const [slowest] = all().sort((a, b) => b.lines.waiting() - a.lines.waiting());
      slowest?.cut();
    }
  };

  const stop = every(TICK_MS, () => {
    const at = elapsed();
    for (const one of open.values()) {
      if (one.isAllowed?.() === false) {
        one.end('access_revoked');
        continue;
      }
      if (at - one.sent < SILENCE_MS) continue;
      one.lines.keepAlive();
      one.sent = at;
    }
    bound();
  });

  return {
    open: (wanted) => {
      const { app, source, stream, ip, most } = wanted;
      const same = [...open.values()].filter(
        (one) =>
          one.app === app &&
          one.source === source &&
          one.stream === stream &&
          one.recovers === wanted.recovers,
      );
      if (same.length >= most) throw tooMany();
      const id = uuidOf(random(16));
      const ending = new AbortController();
      const finish = (reason: DisconnectReason): void => {
        open.delete(id);
        ending.abort();
        table.end(id, reason, now());
      };
      const lines = lineStream(() => finish('client_disconnect'));
      const end = (reason: DisconnectReason): void => {
        if (ending.signal.aborted) return;
        if (reason === 'slow_reader') lines.drop();
        lines.end(LAST_LINE[reason]);
        draining.add(lines);
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
      const one: Open = { ...wanted, lines, end, sent: elapsed() };
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
    of: (app, stream) =>
      [...open].flatMap(([id, one]) =>
        one.app === app && (stream === undefined || one.stream === stream) ? [id] : [],
      ),
    end: (app, id, reason) => {
      const one = open.get(id);
      if (one?.app !== app) return false;
      one.end(reason);
      return true;
    },
    waiting,
    close: () => {
      stop();
      for (const { end } of open.values()) end('operational_disconnect');
    },
  };
}
