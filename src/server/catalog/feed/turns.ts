/*
 * Turns at writing the file of catalogs: a thread that reads a feed writes batch after batch, and SQLite would let others wait
 * at random, with the service blocked meanwhile. So the service takes the next turn without blocking, and the thread waits.
 */

/** Cells of the memory that both share: whether a thread is writing, and for how many turns the service waits. */
const TAKEN = 0;
const WAITING = 1;

/** The longest time for which a thread lets others go first, ms. */
const POLITE_MS = 1000;

/** Memory that two threads share for their turns. */
export function turnMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
}

/** Turns of the thread, which blocks until it has one. @param call - Tells the service that it may try again. */
export function threadTurns(memory: SharedArrayBuffer, call: () => void) {
  const cells = new Int32Array(memory);
  let taken = false;
  return {
    take: (): void => {
      if (taken) return;
      const waiting = Atomics.load(cells, WAITING);
      if (waiting > 0) Atomics.wait(cells, WAITING, waiting, POLITE_MS);
      while (Atomics.compareExchange(cells, TAKEN, 0, 1) !== 0) Atomics.wait(cells, TAKEN, 1);
      taken = true;
    },
    give: (): void => {
      taken = false;
      Atomics.store(cells, TAKEN, 0);
      if (Atomics.load(cells, WAITING) > 0) call();
    },
  };
}

/** Turns of the service. */
export function serviceTurns(memory: SharedArrayBuffer) {
  const cells = new Int32Array(memory);
  const waiting: (() => void)[] = [];
  const wake = (): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  const free = (): void => {
    Atomics.store(cells, TAKEN, 0);
    Atomics.notify(cells, TAKEN);
  };
  return {
    /** Runs `work` in a turn of its own. */
    write: async <T>(work: () => T): Promise<T> => {
      Atomics.add(cells, WAITING, 1);
      try {
        while (Atomics.compareExchange(cells, TAKEN, 0, 1) !== 0) {
          await new Promise<void>((resolve) => {
            waiting.push(resolve);
          });
        }
        try {
          return work();
        } finally {
          free();
        }
      } finally {
        Atomics.sub(cells, WAITING, 1);
        Atomics.notify(cells, WAITING);
      }
    },
    /** Called when the thread says that its turn is over. */
    called: wake,
    /** Called when the thread ended, perhaps within a turn. */
    ended: (): void => {
      free();
      wake();
    },
  };
}
