import { formatTime } from '#contract/ads/ad-fields.ts';
import type { AdFields } from '#contract/ads/ads.ts';
import { Fault } from '#contract/fault.ts';
import { POSTS } from '#contract/posts/posts.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import type { AdsStore } from '#server/ads/store.ts';
import type { Service } from '#server/auth/store.ts';
import type { Billing, Payer } from '#server/billing/billing.ts';
import { payerOf } from '#server/billing/payer.ts';
import type { Machine } from '#server/machine.ts';
import { readId } from '#core/import/id.ts';
import type { Publisher } from '#server/posts/editor/publisher.ts';
import { postOf } from './scheduled.ts';

export interface PublishingDeps extends Pick<Machine, 'now' | 'log'> {
  readonly ads: AdsStore;
  readonly publisher: Publisher;
  readonly service: Pick<Service, 'accountOf' | 'apps'>;
  readonly billing: Billing;
}

/** Scheduled Posts that are published at once. */
const AT_ONCE = 50;

/** The reason a scheduled Post cannot be published, for good. */
class PublishingFailure extends Error {
  override readonly name = 'PublishingFailure';
}

/** The payer of a scheduled Post: the app that scheduled it. */
function payerFor({ fields }: AdEntity, { service }: PublishingDeps): Payer {
  const user = service.accountOf(String(fields['user_id']));
  if (!user) throw new PublishingFailure('its user was removed');
  const app = fields['app_id'];
  if (typeof app !== 'string') return { access: 'enterprise', app: null, user };
  const payer = payerOf(service, app);
  if (!payer) throw new PublishingFailure('the app that scheduled it was removed');
  return { ...payer, user };
}

/** Creates the Post of a scheduled one, and bills it. */
async function publish(entity: AdEntity, id: bigint, deps: PublishingDeps): Promise<void> {
  const { publisher, billing } = deps;
  const payer = payerFor(entity, deps);
  const { user, access } = payer;
  if (!user) throw new TypeError('expected a payer with a user');
  const { create } = POSTS;
  const bill = billing.open(payer, create, create.price, {});
  try {
    await publisher.publish({ user, access }, postOf(entity.fields), id, bill.charges);
    bill.answered(null);
  } finally {
    bill.close();
  }
}

/**
 * Publishes a scheduled Post exactly once: the id of the Post is stored first, so that after a crash the Post is found by
 * it.
 */
async function publishOnce(entity: AdEntity, deps: PublishingDeps): Promise<void> {
  const { ads, publisher, now, log } = deps;
  const { reserved_id: reserved, ...fields } = entity.fields;
  const end = (status: 'SUCCESS' | 'FAILED', id: bigint | null): void => {
    const ended: AdFields = {
      ...fields,
      scheduled_status: status,
      completed_at: formatTime(now()),
      tweet_id: id === null ? null : String(id),
    };
    ads.put(entity, ended, now());
  };
  const before = readId(String(reserved ?? ''));
  const found = before === null ? null : await publisher.find(before);
  if (before !== null && found?.authorId === fields['user_id']) return end('SUCCESS', before);
  const id = publisher.reserve();
  ads.put(entity, { ...fields, reserved_id: String(id) }, now());
  try {
    await publish(entity, id, deps);
  } catch (error) {
    const isFinal = error instanceof PublishingFailure;
    if (!isFinal && !(error instanceof Fault && error.status < 500)) throw error;
    log(`The scheduled Post ${entity.id} was not published: ${error.message}`);
    return end('FAILED', null);
  }
  end('SUCCESS', id);
}

/**
 * Publishes scheduled Posts when their time comes, also those whose time came while the service was off.
 *
 * @returns Publishes all that is due; to be called every second or so. What an error of the disk prevents is tried again.
 */
export function scheduledPublishing(deps: PublishingDeps): () => Promise<void> {
  const { ads, now, log } = deps;
  let running: Promise<void> | null = null;
  const publishDue = async (): Promise<void> => {
    for (const entity of ads.due(now(), AT_ONCE)) {
      try {
        await publishOnce(entity, deps);
      } catch (error) {
        log(
          `The scheduled Post ${entity.id} waits: ${error instanceof Error ? error.message : ''}`,
        );
      }
    }
  };
  return () => {
    running ??= publishDue().finally(() => {
      running = null;
    });
    return running;
  };
}
