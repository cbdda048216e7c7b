import { END_LAG_MS } from '#contract/counts/counts.ts';
import type { SourceId } from '#contract/counts/source.ts';
import { neededGranularity } from '#core/time/boundary.ts';
import type { CountedBuckets, ReportQuestion } from '#contract/counts/report.ts';
import { Edges } from '#core/time/edges.ts';
import { STATE } from '#core/series/series.ts';
import { MINUTE_MS, SECOND_MS, type Span } from '#core/time/span.ts';
import { openService, type Service } from '#server/auth/store.ts';
import type { ClusterPosts, StoreInfo } from '#server/cluster/posts.ts';
import { isStoreThere } from '#server/db/migrate.ts';
import { evaluated } from '#server/posts/index/evaluation.ts';
import { Slices } from '#server/posts/index/slices.ts';
import type { CountSource, SourceState } from '#server/posts/index/source.ts';
import { sourcesIn } from '#server/posts/index/sources-in.ts';
import { hiddenFrom } from '#server/users/hidden.ts';
import type { Due, WaitingSteps } from '#server/index/steps.ts';
import type { Machine } from '#server/machine.ts';
import type { PostsState } from '#server/posts/store/posts-state.ts';
import { storedCurve, type StoredQuestion } from './stored-counts.ts';
import { readQueryOf, WrongQueryError } from './wrong-query.ts';

/** Sources in a store of this service. */
export type StoredSource = Exclude<SourceId, 'platform'>;

/** A query over buckets. `edgesOf` and `viewOf` of core/series/bucket-layout.ts make them as the dashboard does. */
type CountQuestion = Omit<ReportQuestion, 'source'>;

/** The answer to a question: arrays with an entry per bucket. */
export interface Counted extends CountedBuckets {
  /** Absent where all counts are known as Posts arrive. */
  readonly reach?: CountsReach;
}

/** The reach of counts that come by the page. */
export interface CountsReach {
  /** The time up to which they are known but for gaps, epoch ms. */
  readonly until: number;
  /** Unknown counts of buckets that end later may still come. */
  readonly awaited: number;
}

/**
 * Counts queries per bucket over one state of a source.
 *
 * @returns For each its counts, or why it cannot be counted; null if `stop` came first.
 * @throws As {@link Counter.count}.
 */
export type CountAll = (
  source: SourceId,
  questions: readonly CountQuestion[],
  stop: AbortSignal,
) => Promise<readonly (Counted | WrongQueryError)[] | null>;

/** The Posts and times that a source has, as the dashboard shows them, at a revision of its store. */
export interface SourceCoverage extends Pick<StoreInfo, 'store' | 'revision' | 'mark'> {
  /** The times for which it has data, ascending, disjoint; an end of Infinity means now. */
  readonly covered: readonly Span[];
  /** Instants of the oldest and the newest Post, epoch ms; null if there is none. */
  readonly first: number | null;
  readonly last: number | null;
  readonly posts: number;
}

/** Counts the Posts that match queries, as the dashboard does, without a browser. */
export type Counter = ReturnType<typeof openCounter>;

export type CounterDeps = Pick<Machine, 'now' | 'elapsed'>;

/** The buckets of a question. @throws {@link RangeError} as {@link Counter.count}. */
export function questionView({ bounds, granularity, cut }: CountQuestion) {
  let before = -Infinity;
  for (const at of bounds) {
    if (at % MINUTE_MS !== 0) throw new RangeError(`expected edges at whole minutes, got ${at}`);
    if (!(before < at)) throw new RangeError(`expected ascending edges, got ${at} after ${before}`);
    before = at;
  }
  if (bounds.length < 2) throw new RangeError(`expected at least two edges, got ${bounds.length}`);
  const edges = Edges.of(bounds);
  return {
    edges,
    span: { start: edges.start, end: edges.end },
    granularity: granularity ?? neededGranularity(bounds),
    cut: cut ?? { first: false, last: false },
  };
}

/** Finds the protected users of a source, whose Posts are left out. */
type HiddenOf = (source: StoredSource, finder: SourceState) => readonly string[];

/** @param service - Null for a folder without accounts. */
const hiddenBy =
  (service: Service | null): HiddenOf =>
  (source, finder) =>
    hiddenFrom(null, source, service, finder);

/** Counts in some sources, as {@link Counter} says. */
interface Sources {
  readonly count: (
    question: CountQuestion & { readonly source: SourceId },
    stop: AbortSignal,
  ) => Promise<Counted | null>;
  readonly countAll: CountAll;
  readonly coverage: (source: StoredSource) => Promise<SourceCoverage | null>;
}

function countingIn({ countAll, coverage }: Omit<Sources, 'count'>): Sources {
  return {
    count: async (question, stop) => {
      const [answer] = (await countAll(question.source, [question], stop)) ?? [];
      if (answer instanceof WrongQueryError) throw answer;
      return answer ?? null;
    },
    countAll,
    coverage,
  };
}

/** A question of which the query was read, unless that is wrong. */
type AskedQuestion = StoredQuestion | WrongQueryError;

function askedOf(source: SourceId, question: CountQuestion): AskedQuestion {
  const { query } = question;
  try {
    return { query, ast: readQueryOf(source, query), view: questionView(question) };
  } catch (error) {
    if (error instanceof WrongQueryError) return error;
    throw error;
  }
}

/** Answers questions one after another. @param covered - As for {@link storedCurve}, which answers each. */
function* answersOf(
  state: PostsState,
  questions: readonly AskedQuestion[],
  covered: readonly Span[],
  now: number,
  due: Due,
): WaitingSteps<(Counted | WrongQueryError)[]> {
  const answers: (Counted | WrongQueryError)[] = [];
  for (const asked of questions) {
    if (due()) yield;
    try {
      if (asked instanceof WrongQueryError) throw asked;
      const { counts, states, fetchedAt } = yield* storedCurve(state, asked, covered, now, due);
      answers.push({ counts, states, fetchedAt });
    } catch (error) {
      if (!(error instanceof WrongQueryError)) throw error;
      answers.push(error);
    }
  }
  return answers;
}

/**
 * A counter over sources that are open already, such as those of a running service.
 *
 * @param open - Returns a source as it is now; null if it does not exist.
 */
export function counterOver(
  open: (source: StoredSource) => Pick<CountSource, 'over' | 'index' | 'refresh'> | null,
  { now, elapsed }: CounterDeps,
  hiddenOf: HiddenOf,
): Sources {
  const slices = new Slices(elapsed);
  return countingIn({
    countAll: async (source, questions, stop) => {
      if (source === 'platform') {
        throw new RangeError('expected a source of this service, got platform');
      }
      const opened = (): NonNullable<ReturnType<typeof open>> => {
        const found = open(source);
        if (!found) throw new RangeError(`expected a source that exists, got ${source}`);
        return found;
      };
      const asked = questions.map((question) => askedOf(source, question));
      if (!open(source)) {
        return asked.map((one) =>
          one instanceof WrongQueryError ? one : nothingOf(one.view.edges.size),
        );
      }
      const found = await evaluated(
        opened,
        function* (state, due) {
          // As of the state: the source was refreshed just before.
          const { covered } = opened().index;
          const seen = yield* state.without(hiddenOf(source, state), due);
          return yield* answersOf(seen, asked, covered, now(), due);
        },
        slices,
        stop,
      );
      return found && found.result;
    },
    coverage: async (source) => {
      const found = open(source);
      found?.refresh();
      return found && sourceCoverage(found.index);
    },
  });
}

/**
 * Counts in the sources of a running service as they are at the moment, also what a request for counts does not have yet.
 *
 * @param open - Returns a source as it is now; null if it does not exist.
 * @param cluster - The cluster that holds Your posts; null if they are in a file.
 */
export function countingNow(
  open: Parameters<typeof counterOver>[0],
  cluster: ClusterPosts | null,
  { now, elapsed }: CounterDeps,
  service: Service,
): CountAll {
  // Counts end at whole seconds; the present one has Posts already.
  const deps = { now: () => now() + END_LAG_MS + SECOND_MS, elapsed };
  const inFiles = counterOver(open, deps, hiddenBy(service));
  const inCluster = cluster && clusterCounter(cluster, deps, service);
  return (source, questions, stop) =>
    (source === 'posts' && inCluster ? inCluster : inFiles).countAll(source, questions, stop);
}

function sourceCoverage(info: StoreInfo): SourceCoverage | null {
  const { store, revision, mark, covered, first, last, posts } = info;
  return posts === 0 ? null : { store, revision, mark, covered, first, last, posts };
}

/** A counter over Your posts in a cluster. */
export function clusterCounter(
  posts: ClusterPosts,
  { now }: CounterDeps,
  service: Service | null,
): Sources {
  return countingIn({
    countAll: async (_, questions, stop) => {
      const asked = questions.map((question) => askedOf('posts', question));
      const found = await posts.evaluate(
        function* (state, due, info) {
          return yield* answersOf(state, asked, (yield* info()).covered, now(), due);
        },
        stop,
        (found) => hiddenFrom(null, 'posts', service, found),
      );
      return found && found.result;
    },
    coverage: async () => sourceCoverage(await posts.info()),
  });
}

/** The buckets of a source without Posts: nothing is known, and nothing is zero. */
export function nothingOf(size: number): Counted {
  return {
    counts: new Float64Array(size).fill(NaN),
    states: new Uint8Array(size).fill(STATE.uncovered),
    fetchedAt: new Float64Array(size).fill(NaN),
  };
}

/**
 * Opens a counter over the files of a data folder, each at its first question. It only reads, so a service may run on
 * the folder. A file that does not exist is not created.
 *
 * @param files - Paths of the stores, and of the service's own; without the latter there are no accounts.
 * @param cluster - The cluster that holds Your posts; null if they are in a file.
 * @throws {@link StoreError} from its functions, if a file cannot be used or its index has another version.
 */
export function openCounter(
  files: Readonly<Record<StoredSource, string>> & { readonly service?: string },
  deps: CounterDeps & { readonly random: (n: number) => Uint8Array },
  cluster: ClusterPosts | null = null,
) {
  const sources = sourcesIn<StoredSource>(files, deps);
  const accounts = files.service !== undefined && isStoreThere(files.service);
  const service = accounts ? openService(files.service, deps) : null;
  const inFiles = counterOver(sources.find, deps, hiddenBy(service));
  const inCluster = cluster && clusterCounter(cluster, deps, service);
  const of = (source: SourceId) => (source === 'posts' && inCluster ? inCluster : inFiles);
  return {
    /**
     * Counts a query per bucket, as of what was committed before: over Your posts and the sample also what a running
     * service just added.
     *
     * @returns Null if `stop` came first.
     * @throws {@link WrongQueryError} if the source cannot count the query; {@link RangeError} for edges that do not
     *   ascend or are no whole minutes, and for the platform, whose counts {@link PlatformSeries} buys;
     *   {@link StoreError} if the file cannot be read, {@link ClusterError} if the cluster cannot.
     */
    count: (...[question, stop]: Parameters<Sources['count']>): ReturnType<Sources['count']> =>
      of(question.source).count(question, stop),
    countAll: (...[source, questions, stop]: Parameters<CountAll>): ReturnType<CountAll> =>
      of(source).countAll(source, questions, stop),
    /** The coverage of a source; null if it has no Posts. @throws As {@link Counter.count}, for the store. */
    coverage: (source: StoredSource): Promise<SourceCoverage | null> => of(source).coverage(source),
    close: () => {
      sources.close();
      service?.close();
    },
  };
}
