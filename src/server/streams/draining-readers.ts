import { SECOND_MS } from '#core/time/span.ts';
import type { LineStream } from './line-stream.ts';

/** The time in which the reader of a stream that ended may take nothing of what still waits. */
const ENDING_MS = 10 * SECOND_MS;

/** A reader of a stream, and how it gets on. */
export interface Reader {
  readonly lines: LineStream;
  /** Closes the connection to it. */
  readonly cut: (() => void) | undefined;
  /** The number of times it had read at {@link Reader.since}. */
  reads: number;
  /** The time at which it last read, or at which nothing waited, by the monotonic clock. */
  since: number;
}

/** The time for which a reader has taken none of the lines that wait for it, ms. */
export function stalledFor(reader: Reader, at: number): number {
  const { lines } = reader;
  if (lines.waiting() === 0 || lines.reads() !== reader.reads) {
    reader.reads = lines.reads();
    reader.since = at;
  }
  return at - reader.since;
}

/** Readers of streams that ended, who still get what waits. Instants are of the monotonic clock. */
export function drainingReaders() {
  const readers = new Set<Reader>();
  const cut = (reader: Reader): void => {
    readers.delete(reader);
    reader.lines.drop();
    reader.cut?.();
  };
  return {
    add: (reader: Reader, at: number): void => {
      reader.since = at;
      readers.add(reader);
    },
    all: (): Iterable<Reader> => readers,
    /** Drops what waits for a reader, and closes the connection to it. */
    cut,
    /** Forgets readers who have read all, and cuts those who do not read. */
    check: (at: number): void => {
      for (const reader of readers) {
        if (reader.lines.waiting() === 0) readers.delete(reader);
        else if (stalledFor(reader, at) >= ENDING_MS) cut(reader);
      }
    },
  };
}
