import * as v from 'valibot';
import { booleanAt, idAt, listAt, objectAt, textAt } from '#contract/body.ts';

/** A list in a body of at least `least` and at most `most` ids. */
function idsAt(path: string, least: number, most: number) {
  const element = idAt(path);
  return v.pipe(
    listAt(path),
    v.metadata({ element }),
    v.check(
      ({ length }) => length >= least && length <= most,
      ({ input }) => `$.${path}: must have between ${least} and ${most} ids, got ${input.length}`,
    ),
    v.array(element),
  );
}

/** An address that a button under a video opens. */
const visited = (name: string) =>
  v.exactOptional(
    objectAt(`media.call_to_actions.${name}`, {
      url: textAt(`media.call_to_actions.${name}.url`),
    }),
  );
const storeId = (name: string) =>
  v.exactOptional(textAt(`media.call_to_actions.app_install.${name}`));

/** Uploaded media of a new Post (platform-openapi, TweetCreateRequest). What is not about the files is stored with it. */
export const PostMedia = objectAt('media', {
  media_ids: idsAt('media.media_ids', 1, 4),
  tagged_user_ids: v.exactOptional(idsAt('media.tagged_user_ids', 0, 10)),
  preview_media_id: v.exactOptional(idAt('media.preview_media_id')),
  title: v.exactOptional(textAt('media.title')),
  description: v.exactOptional(textAt('media.description')),
  embeddable: v.exactOptional(booleanAt('media.embeddable')),
  call_to_actions: v.exactOptional(
    objectAt('media.call_to_actions', {
      app_install: v.exactOptional(
        objectAt('media.call_to_actions.app_install', {
          app_store_id: storeId('app_store_id'),
          ipad_app_store_id: storeId('ipad_app_store_id'),
          play_store_id: storeId('play_store_id'),
        }),
      ),
      visit_site: visited('visit_site'),
      watch_now: visited('watch_now'),
    }),
  ),
});
export type PostMedia = v.InferOutput<typeof PostMedia>;
