import type { Client } from '#app/api/client.ts';
import { UNREACHABLE } from '#app/api/answer-fault.ts';
import { Fault } from '#contract/fault.ts';
import type { SourceInfo } from '#contract/source.ts';
import { SourcesAnswer } from '#contract/source.ts';
import type { Keeping } from './keeper-port.ts';

/** What can be counted from; `offline` where that was remembered, not asked. */
export interface Sources {
  readonly sources: readonly SourceInfo[];
  readonly offline: boolean;
}

/**
 * Asks the service what it can count from and remembers it; without the service, what was remembered.
 *
 * @throws {Fault} where the service cannot be reached and nothing is remembered, or where it refuses.
 */
export async function loadSources(
  client: Client,
  keeper: Keeping,
  signal: AbortSignal,
): Promise<Sources> {
  try {
    const { data } = await client.json('/sources', SourcesAnswer, { signal, impatient: true });
    // What cannot be remembered is still shown; the cache's fault meets the user with the first counts.
    await keeper.rememberSources(data).catch(() => undefined);
    return { sources: data, offline: false };
  } catch (error) {
    if (!(error instanceof Fault) || error.body.type !== UNREACHABLE) throw error;
    const sources = await keeper.sources();
    if (!sources) throw error;
    return { sources, offline: true };
  }
}
