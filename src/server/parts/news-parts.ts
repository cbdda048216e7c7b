import { openFinder, type NewsSource } from '#server/api/news/finder-thread.ts';
import { openNews } from '#server/api/news/news.ts';
import { startReporting, type Reporting } from '#server/api/news/reporting.ts';
import type { Defer } from '#server/closings.ts';
import { notInClusters } from '#server/cluster/error.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import { Slices } from '#server/posts/index/slices.ts';
import type { DataFolder } from '#server/data-folder.ts';
import type { StoredDeps } from './parts-deps.ts';
import type { SourceFiles } from './sources.ts';

/** Opens what finds news and reports them. */
export function openNewsParts(
  folder: DataFolder,
  { host, service, elapsed, now, timer, log, cluster }: StoredDeps,
  sources: SourceFiles,
  editors: Readonly<Record<NewsSource, PostEditor>>,
  defer: Defer,
) {
  const finder = openFinder(host, { posts: folder.posts, sample: folder.sample });
  defer(() => finder.close());
  const news = openNews({
    source: (id) => (cluster && id === 'posts' ? notInClusters() : sources.get(id)),
    service,
    finder,
    slices: new Slices(elapsed),
  });
  const reporting: { [id in NewsSource]: Reporting | null } = { posts: null, sample: null };
  defer(() => Promise.all([reporting.posts?.close(), reporting.sample?.close()]));
  return {
    news,
    finder,
    reporting,
    /** Begins to report the stories of a source. */
    report: (id: NewsSource): void => {
      const events = sources.logs[id];
      const { write } = editors[id];
      const source = sources.get;
      reporting[id] = startReporting({ id, source, news, events, write, now, timer, log });
    },
  };
}
