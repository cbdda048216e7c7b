/** Registers the closing of something at the moment when it is open. */
export type Defer = (close: () => unknown) => void;

/** A stack of closings. */
export function openClosings() {
  const closings: (() => unknown)[] = [];
  return {
    defer: ((close) => void closings.push(close)) as Defer,
    /**
     * Closes what is open: newest first, each once the one before is closed. A closing that fails keeps no other from
     * running.
     *
     * @throws that of the first closing that failed.
     */
    close: async (): Promise<void> => {
      const errors: unknown[] = [];
      for (const close of closings.splice(0).reverse()) {
        try {
          await close();
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw errors[0];
    },
  };
}

/**
 * Does work that opens things, and closes them when it ends, also where it fails half-way.
 *
 * @throws the error of the work; if there is none, that of the first closing that failed.
 */
export async function withClosings<T>(work: (defer: Defer) => Promise<T>): Promise<T> {
  const { defer, close } = openClosings();
  const done = await work(defer).catch(async (error: unknown) => {
    await close().catch(() => {});
    throw error;
  });
  await close();
  return done;
}
