import { openAnalyst, type AnalysedSource } from '#server/api/breakdown/analyst-thread.ts';
import type { Answers, Question } from '#server/api/breakdown/question.ts';
import { openService } from '#server/auth/store.ts';
import { isStoreThere } from '#server/db/migrate.ts';
import type { Evaluated } from '#server/posts/index/evaluation.ts';
import { openPosts, postTable } from '#server/posts/store/post-table.ts';
import { onThisThread } from '#server/threads.ts';
import { hiddenFrom } from '#server/users/hidden.ts';
import type { CommandDeps } from './command-deps.ts';
import type { DataFolder } from '#server/data-folder.ts';

/** Ids of the users of a source whose Posts not everyone may read. */
function hiddenIn(
  deps: CommandDeps,
  folder: DataFolder,
  source: AnalysedSource,
): readonly string[] {
  // Without accounts nothing is created for them.
  const service = isStoreThere(folder.service) ? openService(folder.service, deps) : null;
  const posts = openPosts(folder[source], deps);
  try {
    return hiddenFrom(null, source, service, postTable(posts));
  } finally {
    posts.close();
    service?.close();
  }
}

/** Answers questions about the sources of a data folder, on this thread. */
export function folderAnalyst(deps: CommandDeps, folder: DataFolder) {
  const host = onThisThread({ ...deps, timer: deps.outgoing.timer });
  const analyst = openAnalyst(host, { posts: folder.posts, sample: folder.sample });
  return {
    /** As `Analyst.ask`, about the Posts that everyone may read. */
    ask: async <Q extends Question>(
      source: AnalysedSource,
      question: Q,
      stop: AbortSignal,
    ): Promise<Evaluated<Answers[Q['what']]> | null> =>
      await analyst.ask(source, question, hiddenIn(deps, folder, source), stop),
    close: (): Promise<void> => analyst.close(),
  };
}
export type FolderAnalyst = ReturnType<typeof folderAnalyst>;
