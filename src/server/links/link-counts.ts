import type { CountedBuckets, ReportQuestion } from '#contract/counts/report.ts';
import type { SourceId } from '#contract/counts/source.ts';
import { plainProblem } from '#contract/fault.ts';
import type { ServiceContext } from '#server/context.ts';
import { clusterCounter, questionView, type StoredSource } from '#server/counting/counter.ts';
import { countedSource, platformSource } from '#server/counting/counted-source.ts';
import { pageOfReply, relayPages } from '#server/counting/platform-pages.ts';
import { PlatformSeries } from '#server/counting/platform-series.ts';
import { platformTerms } from '#server/counting/platform-terms.ts';
import type { BoughtCounts } from '#server/platform/page-table.ts';
import { hiddenFrom } from '#server/users/hidden.ts';
import type { OpenLink } from './board-links.ts';
import type { FiguresContext, LinkedBoard } from './figures-thread.ts';

type Deps = Pick<
  ServiceContext,
  'service' | 'source' | 'cluster' | 'connection' | 'now' | 'elapsed' | 'random'
>;

/** The boards of links, and what counts for them: as someone may who may read no protected Post. It buys nothing. */
export function openLinkCounts({
  service,
  source: find,
  cluster,
  connection,
  now,
  elapsed,
  random,
}: Deps) {
  const inCluster = cluster && clusterCounter(cluster, { now, elapsed }, service);
  const hiddenIn = (id: StoredSource): readonly string[] => {
    const posts = cluster && id === 'posts' ? null : find(id)?.posts;
    return posts ? hiddenFrom(null, id, service, posts) : [];
  };
  const outsideOf = async (id: SourceId | null): Promise<FiguresContext['outside']> => {
    const given = new Map<string, CountedBuckets>();
    const host = connection?.relay?.host;
    if (id === 'platform' && host !== undefined) return { info: platformSource(host), given };
    if (id !== 'posts' || !inCluster) return null;
    const info = await countedSource(inCluster, id);
    return info && { info: { ...info, cluster: true }, given };
  };
  return {
    /** The board of a link as it was opened. @throws {@link Fault} 410 if it was removed since. */
    version: ({ link, board }: OpenLink): LinkedBoard => {
      const found = service.boards.read(link.login, link.board);
      if (!found || found.version.removed) throw plainProblem(410, 'Gone', 'This link has ended.');
      const file = Uint8Array.from(Buffer.from(found.version.file, 'base64'));
      return { key: `${link.login} ${link.board} ${board.revision}`, file };
    },
    /** The facts about a source that the thread of figures does not know. @param id - Null for a board of files. */
    context: async (id: SourceId | null): Promise<FiguresContext> => ({
      hidden: { posts: hiddenIn('posts'), sample: hiddenIn('sample') },
      outside: await outsideOf(id),
      platform: connection?.relay?.settings() ?? null,
    }),
    /** Counts what the thread cannot: from the vault of the platform, or in a cluster. */
    outside: async (question: ReportQuestion, stop: AbortSignal): Promise<CountedBuckets> => {
      const relay = connection?.relay;
      if (question.source === 'platform' && relay) {
        const terms = platformTerms(relay.settings(), question.query);
        const sleep = (): Promise<void> => Promise.reject(new RangeError('expected no purchase'));
        const series = new PlatformSeries(
          { pages: relayPages(relay), terms, now, random, sleep },
          question.query,
          questionView(question),
        );
        const read = async (page: BoughtCounts) => pageOfReply(await relay.bought(page));
        await series.takeBought({ list: (...of) => relay.counts(...of), read }, stop);
        return series.curve();
      }
      if (!inCluster) throw new RangeError(`expected a source outside, got ${question.source}`);
      const counted = await inCluster.count(question, stop);
      if (counted) return counted;
      throw stop.reason;
    },
  };
}

export type LinkCounts = ReturnType<typeof openLinkCounts>;
