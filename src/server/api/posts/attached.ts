import { invalidParameters, invalidRequest } from '#contract/fault.ts';
import type { PostMedia } from '#contract/posts/post-media.ts';
import { typeInPosts } from '#server/media/content.ts';
import { mediaObject } from '#server/media/media-json.ts';
import type { StoredMedia } from '#server/media/media-table.ts';
import type { MediaUploads } from '#server/media/media-uploads.ts';
import type { Attached, Author } from '#server/posts/editor/compose.ts';
import type { PostFinder } from '#server/posts/index/source.ts';

/** Refuses ids in the recorded form (platform-facts-additions, section 3). */
function invalid(parameter: string, ids: readonly string[], what: string) {
  const message = `Your ${what} are invalid.`;
  return invalidParameters([{ parameter, value: ids.join(','), message }]);
}

/** A Post has up to four images, or one GIF, or one video (platform-facts-additions, section 3a). */
function checkTogether(ids: readonly string[], media: readonly StoredMedia[]): void {
  const areImages = media.every(({ category }) => typeInPosts(category) === 'photo');
  if (areImages || media.length === 1) return;
  const message = 'A Post may have up to 4 images, or 1 GIF, or 1 video.';
  throw invalidRequest('media.media_ids', ids.join(','), message);
}

/**
 * The media of a new Post.
 *
 * @param uploads - Null where this service takes no media: then there is none to attach.
 * @param finder - As the author sees the source.
 * @throws {@link Fault} 400 for media that does not exist, is not the author's, is not checked yet or expired, or does
 *   not go together, and for tagged users that do not exist.
 */
export function attachedBy(
  uploads: MediaUploads,
  finder: PostFinder,
  author: Author,
  request: PostMedia,
): Attached {
  const { media_ids: ids, tagged_user_ids: tagged = [], preview_media_id: previewId } = request;
  const found = new Set(ids).size === ids.length ? uploads.usable(author, ids) : null;
  if (!found || found.some(({ category }) => typeInPosts(category) === null)) {
    throw invalid('media.media_ids', ids, 'media IDs');
  }
  checkTogether(ids, found);
  if (tagged.some((id) => finder.object('users', id) === null)) {
    throw invalid('media.tagged_user_ids', tagged, 'tagged user IDs');
  }
  const [preview] = (previewId !== undefined && uploads.usable(author, [previewId])) || [];
  if (previewId !== undefined && (!preview || typeInPosts(preview.category) !== 'photo')) {
    throw invalidRequest('media.preview_media_id', previewId, 'Your preview media ID is invalid.');
  }
  return {
    types: found.flatMap(({ category }) => typeInPosts(category) ?? []),
    keys: found.map((media) => mediaObject(media, null).key),
    objects: [
      ...found.map((media) => mediaObject(media, preview ?? null)),
      // So that its file stays as long as the Post.
      ...(preview ? [mediaObject(preview, null)] : []),
    ],
  };
}
