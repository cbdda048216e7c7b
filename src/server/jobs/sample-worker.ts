import { growSample, makeSample, SEED } from '#server/sample/sample.ts';
import { thread } from '#server/threads.ts';
import type { Task, TaskHost } from '#server/thread-task.ts';

/** The sample to make. */
interface SampleOrder {
  readonly file: string;
  /** True to fill a file that others read, false to make a new one. */
  readonly grows: boolean;
  /** Epoch ms. */
  readonly end: number;
  /** Approximate number of Posts; the default size if absent. */
  readonly posts?: number | undefined;
}

type OnProgress = (progress: { posts: number; part: number }) => void;

interface SampleMaker {
  make(order: SampleOrder, onProgress: OnProgress): Promise<number>;
}

export const SAMPLE_MAKER: Task<null, SampleMaker> = {
  name: 'sample',
  // Room for a chunk of 65,536 Posts with its index, and for what the invented Posts refer to.
  limits: { maxOldGenerationSizeMb: 448, maxYoungGenerationSizeMb: 32 },
  ended: 'The thread that makes the sample ended unexpectedly.',
  open: (_, { random }) => ({
    make: ({ file, grows, end, posts }, onProgress) =>
      (grows ? growSample : makeSample)(file, { end, seed: SEED, posts, random }, onProgress),
  }),
};

/**
 * Makes a sample in a worker thread.
 *
 * @returns Its number of Posts; null if the signal stopped it, which leaves the file unchanged unless it grows.
 * @throws {Error} with the cause in its message if the sample cannot be written.
 */
export async function startSample(
  host: TaskHost,
  order: SampleOrder,
  { signal, onProgress }: { signal: AbortSignal; onProgress: OnProgress },
): Promise<number | null> {
  if (signal.aborted) return null;
  const { methods, terminate } = thread(host, SAMPLE_MAKER, null);
  const stop = (): void => void terminate();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await methods.make(order, onProgress);
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    await terminate();
  }
}
