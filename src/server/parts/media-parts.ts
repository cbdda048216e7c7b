import { errorMessage } from '#core/thrown.ts';
import type { Defer } from '#server/closings.ts';
import { MediaFiles } from '#server/media/media-files.ts';
import { MediaUploads } from '#server/media/media-uploads.ts';
import { usedMediaFiles } from '#server/posts/store/media-use.ts';
import type { DataFolder } from '#server/data-folder.ts';
import type { StoredDeps } from './parts-deps.ts';
import type { Editors } from './editors.ts';
import type { SourceFiles } from './sources.ts';

/** Time between two removals of media that expired, ms. */
const SWEEP_MS = 600_000;
/** Opens the media of Posts, and removes what is over from time to time. */
export function openMedia(
  folder: DataFolder,
  { service, every, log, ...deps }: StoredDeps,
  sources: SourceFiles,
  { local, sample, compactor }: Editors,
  defer: Defer,
): MediaUploads {
  const media = new MediaUploads({
    ...deps,
    table: service.media,
    files: new MediaFiles(folder.media, deps.random),
    use: {
      key: (key) => sources.get('posts')?.posts.object('media', key) !== null,
      files: () => usedMediaFiles(folder.posts, deps),
    },
    log,
  });
  defer(() => media.close());
  media.start();
  const stop = every(SWEEP_MS, () => {
    for (const each of [local, sample.editor]) {
      each.write({ what: 'prune', of: [] }).catch((error: unknown) => log(String(error)));
    }
    // Removed collections may be due.
    compactor.wake();
    try {
      media.sweep();
    } catch (error) {
      log(errorMessage(error));
    }
  });
  defer(stop);
  return media;
}
