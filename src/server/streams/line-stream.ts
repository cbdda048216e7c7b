/** The end of a line; between lines it keeps the connection alive (platform-facts, section 5). */
const END = '\r\n';

/** Most bytes that wait for one reader. */
export const MOST_WAITING = 4 * 2 ** 20;

/** Bytes of which {@link LineStream.drained} says that little waits. */
export const LITTLE_WAITING = MOST_WAITING / 4;

/** Lines that wait share blocks of this size, because a buffer for each would take more memory than a short line. */
const BLOCK = 16 * 1024;

/** Most bytes of several blocks that are sent as one. */
const PART = 64 * 1024;

/** Lines that are sent to one reader, as fast as it reads. */
export type LineStream = ReturnType<typeof lineStream>;

interface Block {
  readonly bytes: Uint8Array;
  used: number;
}

/** @param onClose - Called once if the reader goes away before the stream ends. */
export function lineStream(onClose: () => void) {
  const encoder = new TextEncoder();
  let blocks: Block[] = [];
  let next = 0;
  let waiting = 0;
  let reads = 0;
  let ended = false;
  /** The reader, where it waits for the next line. */
  let wake: (() => void) | null = null;
  /** Writers that wait until little waits. */
  let writers: (() => void)[] = [];

  const append = (line: string, size: number): void => {
    let block = blocks.at(-1);
    if (!block || block.bytes.length - block.used < size) {
      // A reader that keeps up gets lines of their own size. A long line would leave much of a block empty.
      const room = waiting === 0 || size > BLOCK / 4 ? size : BLOCK;
      block = { bytes: new Uint8Array(room), used: 0 };
      blocks.push(block);
    }
    encoder.encodeInto(line + END, block.bytes.subarray(block.used));
    block.used += size;
    waiting += size;
  };
  const sizeOf = (line: string): number => Buffer.byteLength(line) + END.length;
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
    blocks = [];
    next = 0;
    waiting = 0;
    wakeWriters();
  };
  /** The bytes that wait, up to {@link PART}: a write for each line would take more time than its making. */
  const take = (): Uint8Array | undefined => {
    const taken: Uint8Array[] = [];
    let size = 0;
    for (let block = blocks[next]; block; block = blocks[next]) {
      if (size > 0 && size + block.used > PART) break;
      taken.push(block.bytes.subarray(0, block.used));
      size += block.used;
      next += 1;
    }
    if (size === 0) return undefined;
    waiting -= size;
    reads += 1;
    // The blocks that were read take no memory for long.
    if (next === blocks.length || next > 100) {
      blocks = blocks.slice(next);
      next = 0;
    }
    wakeWriters();
    return taken.length === 1 ? taken[0] : Buffer.concat(taken, size);
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
        const wasOpen = !ended;
        ended = true;
        if (wasOpen) onClose();
        wakeReader();
        wakeWriters();
      },
    },
    // Lines wait here, where they can be counted and dropped, and not in the stream.
    { highWaterMark: 0 },
  );

  return {
    body,
    /** Bytes that wait for the reader. */
    waiting: (): number => waiting,
    /** The number of times the reader took some of them. */
    reads: (): number => reads,
    /**
     * Appends a line.
     *
     * @returns False, without a change, if more than {@link MOST_WAITING} would wait or if the stream has ended.
     */
    write: (line: string): boolean => {
      const size = sizeOf(line);
      if (ended || waiting + size > MOST_WAITING) return false;
      append(line, size);
      wakeReader();
      return true;
    },
    /** Sends an empty line if nothing waits. */
    keepAlive: (): void => {
      if (ended || waiting > 0) return;
      append('', END.length);
      wakeReader();
    },
    /** Resolves when little waits, or when the stream has ended. */
    drained: (): Promise<void> =>
      new Promise((resolve) => {
        writers.push(resolve);
        wakeWriters();
      }),
    /** Drops the lines that wait, because the reader is too slow. A line whose sending began is sent whole. */
    drop,
    /** Ends the stream with a last line, after those that wait. */
    end: (last: string | null): void => {
      if (ended) return;
      if (last !== null) append(last, sizeOf(last));
      ended = true;
      wakeReader();
      wakeWriters();
    },
  };
}
