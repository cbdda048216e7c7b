import type { Client } from '#app/api/client.ts';
import type { SourceInfo } from '#contract/source.ts';
import {
  ChangesAnswer,
  SOURCE_PREFIX,
  STORE_REVISION_HEADER,
  SourcesAnswer,
} from '#contract/source.ts';
import { Fault } from '#contract/fault.ts';
import type { Span } from '#core/time/span.ts';
import { ARCHIVE_START } from '#core/time/span.ts';
import type { StoreRow } from './cache-port.ts';
import { storeKey } from './cache-port.ts';
import { StoreMoved } from './faults.ts';
import type { Keeping } from './keeper-port.ts';

type Source = Pick<SourceInfo, 'id' | 'store' | 'revision'>;

const EVERYTHING: Span = { start: ARCHIVE_START, end: Number.MAX_SAFE_INTEGER };

/** Follows what changed in the stores of posts. */
export class Changes {
  readonly #client: Client;
  readonly #keeper: Keeping;
  readonly #asking = new Map<string, Promise<StoreRow>>();
  /** The question is shared by all series: none of them calls it off. */
  readonly #signal = new AbortController().signal;

  constructor(client: Client, keeper: Keeping) {
    this.#client = client;
    this.#keeper = keeper;
  }

  /**
   * Asks what changed in a store since it was last asked, and raises the generation over that; over
   * everything where the service no longer knows. Calls at the same time share one question.
   *
   * @throws {StoreMoved} where the source has another store by now.
   * @throws {Fault} where the service cannot be reached (at once) or refuses.
   */
  async follow(source: Source): Promise<StoreRow> {
    const key = storeKey(source.id, source.store);
    let asking = this.#asking.get(key);
    if (!asking) {
      asking = this.#ask(key, source).finally(() => this.#asking.delete(key));
      this.#asking.set(key, asking);
    }
    return await asking;
  }

  async #ask(key: string, source: Source): Promise<StoreRow> {
    const options = { signal: this.#signal, impatient: true };
    const row = await this.#keeper.store(key, source.revision);
    const path = `${SOURCE_PREFIX[source.id]}/changes?since=${row.revision}`;
    try {
      const answer = await this.#client.json(path, ChangesAnswer, options);
      if (answer.store !== source.store) throw new StoreMoved(answer.store, answer.revision);
      const spans = answer.spans.map(({ start, end }) => ({
        start: Date.parse(start),
        end: Date.parse(end),
      }));
      if (spans.length === 0 && answer.revision === row.revision) return row;
      return await this.#keeper.raise(key, answer.revision, spans);
    } catch (error) {
      if (!(error instanceof Fault) || error.status !== 410) throw error;
      const revision = Number(error.headers[STORE_REVISION_HEADER] ?? NaN);
      if (Number.isInteger(revision)) return await this.#keeper.raise(key, revision, [EVERYTHING]);
      const { data } = await this.#client.json('/sources', SourcesAnswer, options);
      const now = data.find(({ id }) => id === source.id);
      if (!now) throw error;
      if (now.store !== source.store) throw new StoreMoved(now.store, now.revision);
      return await this.#keeper.raise(key, now.revision, [EVERYTHING]);
    }
  }
}
