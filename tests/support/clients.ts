import { Agent } from 'node:http';
import { TwitterApi, type TwitterApiTokens } from 'twitter-api-v2';
import { afterAll } from 'vitest';
import { startService, type ServiceOptions } from './service.ts';

/** A service for the tests of a file, and the address at which it listens. */
export async function listening(options: ServiceOptions = {}) {
  const service = startService(options);
  afterAll(() => service.close());
  return { service, url: await service.listen() };
}

/** A client by twitter-api-v2 of a service, as platform-facts section 13 directs it to another host. */
export function v2ClientOf(url: string, tokens: string | TwitterApiTokens): TwitterApi['v2'] {
  const options = { httpAgent: new Agent() };
  const { v2 } =
    typeof tokens === 'string' ? new TwitterApi(tokens, options) : new TwitterApi(tokens, options);
  v2['setPrefix'](`${url}/2/`);
  return v2;
}

/** The error of a request that the service refuses. @throws Any other error, and where there is none. */
export async function refusal<E extends Error>(
  kind: new (...args: never[]) => E,
  request: Promise<unknown>,
): Promise<E> {
  const error: unknown = await request.then(
    () => new Error('expected a refusal'),
    (caught: unknown) => caught,
  );
  if (error instanceof kind) return error;
  throw error;
}
