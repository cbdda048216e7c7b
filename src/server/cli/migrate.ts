import { grouped } from '#core/format/number-text.ts';
import { compareStores, type StoreComparison } from '#server/cluster/compare.ts';
import { copyPosts } from '#server/cluster/migrate.ts';
import { openCluster } from '#server/cluster/store.ts';
import { isStoreThere } from '#server/db/migrate.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { openSource } from '#server/posts/index/source.ts';
import type { CommandDeps } from './command-deps.ts';
import { DataFolder } from '#server/data-folder.ts';
import { ensureIndex } from './ensure-index.ts';
import { postsLine, progressLine } from './progress.ts';
import { CommandError } from '#server/command-error.ts';

/** The result of a comparison, as text. */
export function comparisonText({ posts, differences, shown }: StoreComparison): string {
  if (differences === 0) {
    return `ClickHouse: no differences from the data folder (${grouped(posts)} Posts).\n`;
  }
  const more = differences - shown.length;
  const lines = shown.map((line) => `  ${line}\n`).join('');
  const others = more > 0 ? `  … and ${grouped(more)} more\n` : '';
  return `ClickHouse: ${grouped(differences)} differences from the data folder.\n${lines}${others}`;
}

/** Compares Your posts in a file with those in ClickHouse. */
export async function comparedStores(deps: CommandDeps, file: string): Promise<StoreComparison> {
  if (!deps.clickhouse) throw new RangeError('expected the address of a cluster');
  const store = await openCluster(deps.clickhouse, deps.random);
  const source = openSource(file, deps);
  const db = openPosts(file, deps);
  try {
    const state = await store.state();
    const reader = store.reader(state);
    return await compareStores({ source, db, reader, state, signal: deps.stopping });
  } finally {
    db.close();
    source.close();
    await store.close();
  }
}

/**
 * `groundswell migrate --to clickhouse`: copies Your posts from the data folder into ClickHouse and compares both.
 *
 * @returns The exit code: 1 if they differ, 130 if it was interrupted.
 * @throws {@link CommandError} if the folder is in use or has no Posts, {@link ClusterError} if ClickHouse does not answer.
 */
export async function runMigrate(deps: CommandDeps, { data }: { data: string }): Promise<number> {
  if (!deps.clickhouse) {
    throw new CommandError('Set GROUNDSWELL_CLICKHOUSE_URL to the URL of a ClickHouse server.');
  }
  const folder = new DataFolder(data);
  const lock = folder.take();
  if (!lock) {
    throw new CommandError(`The data folder ${folder.path} is in use; end its service first.`);
  }
  const line = progressLine(deps);
  try {
    if (!isStoreThere(folder.posts)) throw new CommandError(`There are no Posts in ${data}.`);
    if (!(await ensureIndex(deps, folder, ['posts']))) return 130;
    const store = await openCluster(deps.clickhouse, deps.random);
    const db = openPosts(folder.posts, deps);
    const began = deps.now();
    try {
      const copied = await copyPosts(db, await store.writer(), {
        signal: deps.stopping,
        onProgress: ({ added, already, total }) => {
          const seconds = (deps.now() - began) / 1000;
          line.show(postsLine('Copying', added + already, total, seconds));
        },
      });
      line.clear();
      if (deps.stopping.aborted) {
        deps.err('Stopped; run the command again to copy the rest.\n');
        return 130;
      }
      const { added, already } = copied;
      deps.out(`copied ${grouped(added)}, already there ${grouped(already)}\n`);
    } finally {
      db.close();
      await store.close();
    }
    const compared = await comparedStores(deps, folder.posts);
    if (deps.stopping.aborted) return 130;
    deps.out(comparisonText(compared));
    return compared.differences === 0 ? 0 : 1;
  } finally {
    line.clear();
    lock.release();
  }
}
