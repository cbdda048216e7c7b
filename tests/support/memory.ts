import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Memory of this process after garbage collection, bytes: the heap and external buffers. */
export async function memoryHeld(): Promise<number> {
  // Finalizers free buffers one turn after the collection that found them.
  for (let i = 0; i < 2; i++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
