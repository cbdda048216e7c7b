import type { Context } from 'hono';
import type { Seal } from '#core/cursor.ts';
import type { Json } from '#core/import/json.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import type { ServiceContext } from '#server/context.ts';
import type { accountOpener } from './account.ts';

/** The parts that the routes of advertisers have in common. */
export interface AdsContext extends ServiceContext {
  readonly opener: ReturnType<typeof accountOpener>;
  /** Seals cursors. */
  readonly seal: Seal;
  /** Entities as an answer to a request has them. */
  readonly jsonOf: (c: Context) => (entity: AdEntity) => Json;
}
