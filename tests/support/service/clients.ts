import { Agent } from 'node:http';
import { TwitterApi, type TwitterApiTokens } from 'twitter-api-v2';
import { afterAll } from 'vitest';
import { startService, type ServiceOptions } from './service.ts';

/** A service for the tests of a file, and the address at which it listens. */
export async function listeningService(options: ServiceOptions = {}) {
  const service = startService(options);
  afterAll(() => service.close());
  return { service, url: await service.listen() };
}

/** A client of twitter-api-v2 whose requests go to the service at an address (platform-facts, section 13). */
export function v2ClientOf(url: string, tokens: string | TwitterApiTokens): TwitterApi['v2'] {
  const options = { httpAgent: new Agent() };
  const { v2 } =
    typeof tokens === 'string' ? new TwitterApi(tokens, options) : new TwitterApi(tokens, options);
  v2['setPrefix'](`${url}/2/`);
  return v2;
}

/** The error of a request that the service refuses. @throws Any other error, and an error if it is not refused. */
export async function refusal<E extends Error>(
  kind: new (...args: never[]) => E,
  request: Promise<unknown>,
): Promise<E> {
  try {
    await request;
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
  throw new Error('expected a refusal');
}
