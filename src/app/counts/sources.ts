import type { Client } from '#app/api/client.ts';
import { isAway, SIGNED_OUT } from '#app/api/answer-fault.ts';
import { SOURCES, type SourceInfo } from '#contract/counts/source.ts';
import type { StoreClient } from '#app/counts/worker/client.ts';

/** The sources of counts; `offline` if remembered rather than fetched, `signedOut` if that is the reason. */
export interface Sources {
  readonly sources: readonly SourceInfo[];
  readonly offline: boolean;
  readonly signedOut?: boolean;
}

/**
 * Fetches the sources and remembers them. Without the service, or when signed out, returns the remembered ones.
 *
 * @throws {Fault} if the service cannot be reached and nothing is remembered, or if it refuses.
 */
export async function loadSources(
  client: Client,
  store: StoreClient,
  signal: AbortSignal,
): Promise<Sources> {
  try {
    const { path, answer } = SOURCES.list;
    const { data } = await client.json(path, answer, { signal, impatient: true });
    // Shows the list even if it cannot be remembered: the first counts will report the cache's fault.
    await store.rememberSources(data).catch(() => undefined);
    return { sources: data, offline: false };
  } catch (error) {
    if (!isAway(error)) throw error;
    const sources = await store.sources();
    if (!sources) throw error;
    return { sources, offline: true, signedOut: error.body.type === SIGNED_OUT };
  }
}
