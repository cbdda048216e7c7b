import { formatTime } from '#contract/ads/ad-fields.ts';
import type { AdFields } from '#contract/ads/ads.ts';
import { Fault } from '#contract/fault.ts';
import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import { advertiserErrors, advertiserFault } from '#server/ads/advertiser-fault.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import {
  checkPromotable,
  refuse,
  type KindRule,
  type KindRules,
  type Ruled,
} from './kind-rules.ts';
import { inLibrary } from './media.ts';
import type { CreateRequest } from '#contract/posts/create-request.ts';

/** The longest time for which a Post may be scheduled in advance (docs creatives/reference, POST scheduled_tweets). */
const LONGEST_WAIT_MS = 365 * DAY_MS;

/** The Post that a scheduled one or a draft is to be. */
export function postOf({ text, media_keys: keys, nullcast }: AdFields): CreateRequest {
  const ids = Array.isArray(keys) ? keys.map((key: string) => key.slice(key.indexOf('_') + 1)) : [];
  return {
    ...(typeof text === 'string' && text !== '' && { text }),
    ...(ids.length > 0 && { media: { media_ids: ids } }),
    nullcast: nullcast !== false,
  };
}

/** Names a parameter of Posts as advertisers do. */
function renamed(fault: Fault): Fault {
  const [error] = advertiserErrors(fault);
  if (!error || error.parameter !== 'media.media_ids') return fault;
  return advertiserFault(400, 'INVALID_PARAMETER', error.message, {
    ...error,
    parameter: 'media_keys',
  });
}

/** Requires what every Post needs: a text or media, by the rules of Posts. */
async function checkPost(change: Ruled, fields: AdFields): Promise<void> {
  const { by } = change;
  const { text, media_keys: keys } = fields;
  const media: readonly string[] = Array.isArray(keys) ? keys : [];
  if ((text ?? '') === '' && media.length === 0) {
    const message = '"text" is a missing parameter where there are no media_keys';
    throw advertiserFault(400, 'MISSING_PARAMETER', message, { parameter: 'text' });
  }
  for (const key of media) inLibrary(change, 'media_keys', key);
  if (!by.publisher) {
    throw advertiserFault(403, 'ACTION_NOT_ALLOWED', 'This service does not create Posts');
  }
  try {
    await by.publisher.check(by, postOf(fields));
  } catch (error) {
    throw error instanceof Fault ? renamed(error) : error;
  }
}

/** The fields of a scheduled Post or a draft that a request sets. */
function sentOf({ by, sent, before }: Ruled): AdFields {
  const { as_user_id: as, ...fields } = sent;
  if (as !== undefined) checkPromotable(by, 'as_user_id', as);
  return before ? fields : { ...fields, user_id: by.user.id };
}

const draft: KindRule = async (change) => {
  const fields = sentOf(change);
  await checkPost(change, { ...change.before?.fields, ...fields });
  return fields;
};

/** True if a scheduled Post waits for its time. */
function isWaiting({ fields }: AdEntity, now: number): boolean {
  const at = Date.parse(String(fields['scheduled_at']));
  return fields['scheduled_status'] === 'SCHEDULED' && at > now;
}

/** @throws {@link Fault} 400 if the time of a scheduled Post has come. */
export function checkWaiting(entity: AdEntity, now: number): void {
  if (isWaiting(entity, now)) return;
  const at = entity.fields['scheduled_at'];
  refuse('scheduled_tweet_id', entity.id, `The time of this Post was ${String(at)}`);
}

/** @throws {@link Fault} 400 if the publishing of a scheduled Post began. */
export function checkUntouched({ id, fields }: AdEntity): void {
  if (fields['scheduled_status'] === 'SCHEDULED' && fields['reserved_id'] === undefined) return;
  refuse('scheduled_tweet_id', id, 'This Post is being published');
}

const scheduled: KindRule = async (change) => {
  const { by, sent, before } = change;
  if (before) checkWaiting(before, by.now);
  const fields = sentOf(change);
  const time = sent['scheduled_at'];
  const at = Math.floor(Date.parse(String(time)) / MINUTE_MS) * MINUTE_MS;
  if (time !== undefined && (at <= by.now || at > by.now + LONGEST_WAIT_MS)) {
    const rule = 'a minute after now and at most a year ahead, whose seconds are ignored';
    refuse('scheduled_at', time, `Expected ${rule}, got "${String(time)}" for scheduled_at`);
  }
  await checkPost(change, { ...before?.fields, ...fields });
  return {
    ...fields,
    ...(time !== undefined && { scheduled_at: formatTime(at) }),
    ...(!before && { scheduled_status: 'SCHEDULED', app_id: by.app }),
  };
};

const promotedAccount: KindRule = ({ by, sent }) => {
  checkPromotable(by, 'user_id', sent['user_id']);
  return sent;
};

export const POST_RULES: KindRules = {
  SCHEDULED_TWEET: scheduled,
  DRAFT_TWEET: draft,
  PROMOTED_ACCOUNT: promotedAccount,
};
