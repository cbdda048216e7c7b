/** Registers the closing of something at the moment when it is open. */
export type Defer = (close: () => unknown) => void;

/**
 * Does work that opens things, and closes them when it ends, also where it fails half-way: newest first, each once the
 * one before is closed. A closing that fails keeps no other from running.
 *
 * @throws the error of the work; if there is none, that of the first closing that failed.
 */
export async function withClosings<T>(work: (defer: Defer) => Promise<T>): Promise<T> {
  const closings: (() => unknown)[] = [];
  const errors: unknown[] = [];
  const attempt = async (step: () => unknown): Promise<void> => {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  };
  const done: T[] = [];
  await attempt(async () => done.push(await work((close) => void closings.push(close))));
  for (const close of closings.reverse()) await attempt(close);
  if (errors.length > 0) throw errors[0];
  return done[0] as T;
}
