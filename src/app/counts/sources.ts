import type { Client } from '#app/api/client.ts';
import { isAway, SIGNED_OUT } from '#app/api/answer-fault.ts';
import type { SourceInfo } from '#contract/source.ts';
import { SOURCES } from '#contract/source.ts';
import type { StoreClient } from '#app/counts/worker/client.ts';

/** What can be counted from; `offline` where that was remembered, not asked: `signedOut` says why. */
export interface Sources {
  readonly sources: readonly SourceInfo[];
  readonly offline: boolean;
  readonly signedOut?: boolean;
}

/**
 * Asks the service what it can count from and remembers it; without the service, or a session, what was remembered.
 *
 * @throws {Fault} where the service cannot be reached and nothing is remembered, or where it refuses.
 */
export async function loadSources(
  client: Client,
  keeper: StoreClient,
  signal: AbortSignal,
): Promise<Sources> {
  try {
    const { path, answer } = SOURCES.list;
    const { data } = await client.json(path, answer, { signal, impatient: true });
    // What cannot be remembered is still shown; the cache's fault meets the user with the first counts.
    await keeper.rememberSources(data).catch(() => undefined);
    return { sources: data, offline: false };
  } catch (error) {
    if (!isAway(error)) throw error;
    const sources = await keeper.sources();
    if (!sources) throw error;
    return { sources, offline: true, signedOut: error.body.type === SIGNED_OUT };
  }
}
