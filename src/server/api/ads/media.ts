import type { AdFields } from '#contract/ads/ads.ts';
import { advertiserFault } from '#server/ads/advertiser-fault.ts';
import { CATEGORIES, typeInPosts, type Content } from '#server/media/content.ts';
import { MEDIA_PATH } from '#server/media/media-json.ts';
import { mediaFileName } from '#server/media/media-files.ts';
import type { StoredMedia } from '#server/media/media-table.ts';
import { entityIn } from './entity.ts';
import { refuse, type ChangeBy, type KindRule, type KindRules, type Ruled } from './kind-rules.ts';

function unknown(parameter: string, value: string): never {
  const message = `There is no uploaded medium of the key "${value}" for this user`;
  throw advertiserFault(404, 'MEDIA_NOT_FOUND', message, { parameter, value });
}

const TYPES = { image: 'IMAGE', gif: 'GIF', video: 'VIDEO' } as const;

/** The ratio of width to height in lowest terms, such as `16:9`. */
function ratioOf({ width, height }: Content): string {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  const common = divisor(width, height) || 1;
  return `${width / common}:${height / common}`;
}

/** Path of a medium's file. */
function fileOf({ hash, content }: StoredMedia): string | null {
  return hash !== null && content ? MEDIA_PATH + mediaFileName(hash, content.format) : null;
}

/** The fields that the file of a medium determines. */
function factsOf(media: StoredMedia): AdFields {
  const { category, content } = media;
  const { kind } = CATEGORIES[category];
  const isMoving = kind === 'gif' || kind === 'video';
  return {
    media_url: fileOf(media),
    media_category: category.toUpperCase(),
    media_type: kind === 'subtitles' ? null : TYPES[kind],
    media_status: 'TRANSCODE_COMPLETED',
    ...(kind === 'video' && { duration: content?.durationMs ?? null }),
    ...(isMoving && content && { aspect_ratio: ratioOf(content) }),
  };
}

/** Requires that the library of an ad account has a medium. @throws {@link Fault} 404. */
export function inLibrary({ by, account }: Ruled, parameter: string, key: string): AdFields {
  return entityIn(by.store, 'MEDIA_LIBRARY', account, key, { parameter }).fields;
}

/** Members that only moving media have (docs creatives/reference, POST media_library). */
const MOVING = ['title', 'description', 'poster_media_key'] as const;

function checkMoving(type: unknown, sent: AdFields): void {
  if (type !== 'IMAGE') return;
  for (const name of MOVING) {
    const value = sent[name];
    if (value === undefined || value === null) continue;
    refuse(name, value, `Only videos and GIFs have a ${name}`);
  }
}

function posterOf(change: Ruled): AdFields {
  const key = change.sent['poster_media_key'];
  if (key === undefined) return {};
  if (typeof key !== 'string') return { poster_media_url: null };
  const { media_type: type, media_url: url = null } = inLibrary(change, 'poster_media_key', key);
  if (type !== 'IMAGE') refuse('poster_media_key', key, `Expected an image, got "${key}"`);
  return { poster_media_url: url };
}

/** A medium of the library: an uploaded one of the user, which is held as long as it is in the library. */
const library: KindRule = (change) => {
  const { by, sent, before } = change;
  if (before) {
    checkMoving(before.fields['media_type'], sent);
    return { ...sent, ...posterOf(change) };
  }
  const key = String(sent['media_key']);
  const media = by.media.find(by.user, key);
  if (!media || typeInPosts(media.category) === null) return unknown('media_key', key);
  const facts = factsOf(media);
  checkMoving(facts['media_type'], sent);
  const poster = posterOf(change);
  // First held, then stored: what a crash leaves held without an entry is let go at the next start.
  by.media.hold(media);
  return { ...sent, ...facts, ...poster };
};

const SOURCES = ['media_id', 'media_url', 'video_id'] as const;

/** Media for creatives: an address, or a medium of the library. */
const accountMedia: KindRule = (change) => {
  const { sent } = change;
  const given = SOURCES.filter((name) => sent[name] !== undefined);
  const [name] = given;
  if (name === undefined || given.length > 1) {
    const code = name === undefined ? 'MISSING_PARAMETER' : 'EXCLUSIVE_PARAMETERS';
    const message = `Exactly one of ${SOURCES.join(', ')} is needed, got ${given.length}`;
    throw advertiserFault(400, code, message, { parameter: name ?? 'media_url' });
  }
  const { media_id: id, creative_type: type } = sent;
  const isVideo = String(type).endsWith('PREROLL');
  if (typeof sent['video_id'] === 'string') {
    const { media_type } = inLibrary(change, 'video_id', sent['video_id']);
    if (media_type !== 'VIDEO') refuse('video_id', sent['video_id'], 'Expected a video');
  }
  if (id === undefined) return sent;
  // Images have keys that begin with 3.
  const { media_url: url = null } = inLibrary(change, 'media_id', `3_${String(id)}`);
  if (isVideo) refuse('creative_type', type, `A ${String(type)} needs a video_id`);
  return { creative_type: type ?? null, media_url: url };
};

/** A creative is of the type of its media. */
const creative: KindRule = ({ by, account, sent, before }) => {
  if (before) return sent;
  const id = String(sent['account_media_id']);
  const media = entityIn(by.store, 'ACCOUNT_MEDIA', account, id, { parameter: 'account_media_id' });
  return { ...sent, creative_type: media.fields['creative_type'] ?? null };
};

/** Lets go of uploaded media that no library has any more. */
export function letMediaGo({ media, store }: Pick<ChangeBy, 'media' | 'store'>): void {
  media.letGo((key) => store.hasSource('MEDIA_LIBRARY', key));
}

export const MEDIA_RULES: KindRules = {
  MEDIA_LIBRARY: library,
  ACCOUNT_MEDIA: accountMedia,
  MEDIA_CREATIVE: creative,
};
