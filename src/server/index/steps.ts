/** A computation that yields where the thread may do something else; its result is its return value. */
export type Steps<T> = Generator<void, T, void>;

/** Like {@link Steps}, but it may also yield a promise; it continues when that is fulfilled. */
export type WaitingSteps<T> = Generator<void | Promise<unknown>, T, void>;

/** Waits for a promise, as steps. */
export function* awaited<T>(promise: Promise<T>): WaitingSteps<T> {
  let result: { value: T } | null = null;
  yield promise.then((value) => {
    result = { value };
  });
  if (result === null) throw new RangeError('expected steps that continue after their promise');
  return (result as { value: T }).value;
}

/** Runs waiting steps to their end. */
export async function settle<T>(steps: WaitingSteps<T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await step.value;
  }
}

/**
 * True if a pause is due. Steps ask between pieces of work of a few milliseconds at most, and yield if
 * it is.
 */
export type Due = () => boolean;

/** Runs steps to their end at once, whatever they report in between. */
export function finish<T>(steps: Generator<unknown, T, void>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** For {@link finish}: no pause is ever due. */
export const NEVER: Due = () => false;

/** Work that needs no pause, as steps. */
// oxlint-disable-next-line require-yield -- it is one step
export function* oneStep<T>(work: () => T): Steps<T> {
  return work();
}
