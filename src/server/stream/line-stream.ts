/** What a line ends with; between lines it keeps the connection alive (platform-facts, section 5). */
const END = '\r\n';

/** Most bytes that wait for one reader. */
export const MOST_WAITING = 4 * 2 ** 20;

/** Bytes of which {@link LineStream.drained} says that little waits. */
export const LITTLE_WAITING = MOST_WAITING / 4;

/** Lines that are sent to one reader, as fast as it reads. */
export interface LineStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Bytes that wait for the reader. */
  waiting(): number;
  /**
   * Appends a line.
   *
   * @returns False, without a change, if more than {@link MOST_WAITING} would wait or if the stream has ended.
   */
  write(line: string): boolean;
  /** Sends an empty line if nothing waits. */
  keepAlive(): void;
  /** Resolves when little waits, or when the stream has ended. */
  drained(): Promise<void>;
  /** Drops the lines that wait, because the reader is too slow. A line whose sending began is sent whole. */
  drop(): void;
  /** Ends the stream with a last line, after those that wait. */
  end(last: string | null): void;
}

/** @param onClose - Called once if the reader goes away before the stream ends. */
export function lineStream(onClose: () => void): LineStream {
  const encoder = new TextEncoder();
  let queue: Uint8Array[] = [];
  let next = 0;
  let waiting = 0;
  let ended = false;
  /** The reader, where it waits for the next line. */
  let wake: (() => void) | null = null;
  /** Writers that wait until little waits. */
  let writers: (() => void)[] = [];

  const append = (line: string): void => {
    const bytes = encoder.encode(line + END);
    queue.push(bytes);
    waiting += bytes.length;
  };
  const wakeReader = (): void => {
    wake?.();
    wake = null;
  };
  const wakeWriters = (): void => {
    if (waiting > LITTLE_WAITING && !ended) return;
    for (const resolve of writers) resolve();
    writers = [];
  };
  const drop = (): void => {
    queue = [];
    next = 0;
    waiting = 0;
    wakeWriters();
  };
  const take = (): Uint8Array | undefined => {
    const bytes = queue[next];
    if (!bytes) return undefined;
    next += 1;
    waiting -= bytes.length;
    wakeWriters();
    // The lines that were read take no memory for long.
    if (next === queue.length || next > 1000) {
      queue = queue.slice(next);
      next = 0;
    }
    return bytes;
  };

  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        if (waiting === 0 && !ended) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const bytes = take();
        if (bytes) controller.enqueue(bytes);
        else if (ended) controller.close();
      },
      cancel: () => {
        drop();
        if (!ended) onClose();
        ended = true;
        wakeReader();
        wakeWriters();
      },
    },
    // Lines wait here, where they can be counted and dropped, and not in the stream.
    { highWaterMark: 0 },
  );

  return {
    body,
    waiting: () => waiting,
    write: (line) => {
      // An estimate by characters is enough to stay bounded, and costs nothing.
      if (ended || waiting + line.length > MOST_WAITING) return false;
      append(line);
      wakeReader();
      return true;
    },
    keepAlive: () => {
      if (ended || waiting > 0) return;
      append('');
      wakeReader();
    },
    drained: () =>
      new Promise((resolve) => {
        writers.push(resolve);
        wakeWriters();
      }),
    drop,
    end: (last) => {
      if (ended) return;
      if (last !== null) append(last);
      ended = true;
      wakeReader();
      wakeWriters();
    },
  };
}
