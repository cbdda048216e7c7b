import type { RequestListener } from 'node:http';
import { afterAll } from 'vitest';
import { openHost } from './host.ts';

/** Starts a host on this machine for the tests of a file, at the top of that file. @returns Its address. */
export async function localHost(answer: RequestListener): Promise<string> {
  const { origin, close } = await openHost(answer);
  afterAll(close);
  return origin;
}
