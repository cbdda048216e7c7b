import type { MediaCategory } from '#contract/posts/media-requests.ts';

/** Formats of files that this service accepts, with the extension of their names and the content type of answers. */
export const FORMATS = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/bmp': 'bmp',
  'image/tiff': 'tif',
  'image/gif': 'gif',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'text/vtt': 'vtt',
  'text/srt': 'srt',
} as const;
export type Format = keyof typeof FORMATS;

/** The findings of the check of a file. */
export interface Content {
  readonly format: Format;
  /** Of what is shown, pixels; 0 for subtitles. */
  readonly width: number;
  readonly height: number;
  /** Duration of a video. */
  readonly durationMs?: number;
  /** Images per second of a video. */
  readonly rate?: number;
  /** Number of images of a GIF. */
  readonly images?: number;
}

/** The reason a check failed, by the names that clients know (platform-facts-additions, section 3a). */
export interface MediaFault {
  readonly code: 1 | 3;
  readonly name: 'InvalidMedia' | 'UnsupportedMedia';
  readonly message: string;
}

export function invalidMedia(message: string): MediaFault {
  return { code: 1, name: 'InvalidMedia', message };
}

export function unsupportedMedia(message: string): MediaFault {
  return { code: 3, name: 'UnsupportedMedia', message };
}

/** The use of a file. Each has its own limits. */
export type MediaKind = 'image' | 'gif' | 'video' | 'subtitles';

/** Rules of a category: its kind, and the number that its media keys begin with. */
interface CategoryRules {
  readonly kind: MediaKind;
  readonly prefix: number;
}

/** Key prefixes by platform-facts-additions, section 3a; that of subtitles is this service's. */
export const CATEGORIES: Readonly<Record<MediaCategory, CategoryRules>> = {
  tweet_image: { kind: 'image', prefix: 3 },
  dm_image: { kind: 'image', prefix: 3 },
  tweet_gif: { kind: 'gif', prefix: 16 },
  dm_gif: { kind: 'gif', prefix: 16 },
  tweet_video: { kind: 'video', prefix: 7 },
  dm_video: { kind: 'video', prefix: 7 },
  amplify_video: { kind: 'video', prefix: 13 },
  subtitles: { kind: 'subtitles', prefix: 0 },
};

/** The name of a medium in a Post; null if Posts do not contain media of the category. */
export function typeInPosts(category: MediaCategory): 'photo' | 'video' | 'animated_gif' | null {
  if (category === 'tweet_image') return 'photo';
  if (category === 'tweet_gif') return 'animated_gif';
  return category === 'tweet_video' || category === 'amplify_video' ? 'video' : null;
}

/** True if a file is checked after the answer to its finalization, as clients expect of GIFs and videos. */
export function isCheckedLater(category: MediaCategory): boolean {
  const { kind } = CATEGORIES[category];
  return kind === 'gif' || kind === 'video';
}

export function mediaKey({ id, category }: { id: string; category: MediaCategory }): string {
  return `${CATEGORIES[category].prefix}_${id}`;
}

const MIB = 1024 ** 2;

/** Most bytes of a file, by platform-facts-additions, section 3a; of subtitles by this service. */
export const MOST_MEDIA_BYTES: Readonly<Record<MediaKind, number>> = {
  image: 5 * MIB,
  gif: 15 * MIB,
  video: 512 * MIB,
  subtitles: MIB,
};

/** Formats by kind. A GIF may be an image, of which the first picture counts. */
const FORMATS_OF: Readonly<Record<MediaKind, readonly Format[]>> = {
  image: ['image/jpeg', 'image/png', 'image/webp', 'image/bmp', 'image/tiff', 'image/gif'],
  gif: ['image/gif'],
  video: ['video/mp4', 'video/quicktime'],
  subtitles: ['text/vtt', 'text/srt'],
};

export function fits(format: Format, kind: MediaKind): boolean {
  return FORMATS_OF[kind].includes(format);
}

/** Limits of GIFs and videos (platform-facts-additions, section 3a). */
const GIF = { width: 1280, height: 1080, images: 350, pixels: 300_000_000 };
const VIDEO = {
  shortestMs: 500,
  longestMs: 140_000,
  least: 32,
  longSide: 1280,
  shortSide: 1024,
  rate: 60,
  ratio: 3,
};

function gifViolation({ width, height, images = 0 }: Content): string | null {
  if (width > GIF.width || height > GIF.height) {
    return `A GIF may have at most ${GIF.width}×${GIF.height} pixels; this one has ${width}×${height}`;
  }
  if (images > GIF.images) {
    return `A GIF may have at most ${GIF.images} images; this one has ${images}`;
  }
  const pixels = width * height * images;
  if (pixels <= GIF.pixels) return null;
  return `A GIF may have at most ${GIF.pixels} pixels in all its images; this one has ${pixels}`;
}

function videoViolation({ width, height, durationMs = 0, rate = 0 }: Content): string | null {
  const { shortestMs, longestMs, least, longSide, shortSide, ratio } = VIDEO;
  if (durationMs < shortestMs) {
    return `Duration too short, minimum: ${shortestMs} ms, actual: ${durationMs} ms`;
  }
  if (durationMs > longestMs) {
    return `Duration too long, maximum: ${longestMs} ms, actual: ${durationMs} ms`;
  }
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  if (short < least || long > longSide || short > shortSide) {
    return `A video must have between ${least}×${least} and ${longSide}×${shortSide} pixels; this one has ${width}×${height}`;
  }
  if (long > ratio * short) {
    return `The aspect ratio of a video must be between 1:${ratio} and ${ratio}:1; this one has ${width}×${height} pixels`;
  }
  if (rate <= VIDEO.rate) return null;
  return `A video may have at most ${VIDEO.rate} images per second; this one has ${rate}`;
}

/**
 * The limit that a file exceeds, apart from its size; null if it exceeds none. The longer side of a video may be its
 * height, as in the platform's own recommendation of 720×1280.
 */
export function violation(kind: MediaKind, content: Content): string | null {
  if (kind === 'gif') return gifViolation(content);
  return kind === 'video' ? videoViolation(content) : null;
}
