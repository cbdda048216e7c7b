import type { CountedBuckets } from '#contract/counts/report.ts';
import { plainProblem } from '#contract/fault.ts';
import { MAX_VIEW_BUCKETS, type ViewQuestion } from '#contract/links/view-link.ts';
import { putNewest } from '#core/newest.ts';
import { Semaphore } from '#core/semaphore.ts';
import { BUCKET_MS } from '#core/time/bucket.ts';
import { DAY_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import type { AnalysedSource } from '#server/api/breakdown/analyst-thread.ts';
import { viewSettings, type OpenLink } from './board-links.ts';
import type { AskedOf, Figures } from './figures-thread.ts';
import type { LinkCounts } from './link-counts.ts';
import { sourceQuestion, writtenCounts } from './view-counts.ts';
import { openViewPasswords, type ViewPasswordDeps } from './view-passwords.ts';

/** Versions of boards whose questions are remembered, and for how long: their times move with the clock. */
const MAX_ASKED = 64;
const ASKED_MS = 10 * MINUTE_MS;

/** A board of a fixed time also shows the course around its peaks: so much more than it asks at first. */
const AROUND_MS = 4 * DAY_MS;

/** Links whose questions take turns. */
const MAX_TURNS = 1024;

interface Deps extends ViewPasswordDeps {
  readonly figures: Figures;
  readonly counts: LinkCounts;
}

/** Answers the pages of view links. It reads counts of the board's own queries that are known, and buys nothing. */
export function openViewLinks(deps: Deps) {
  const { now, figures, counts } = deps;
  const known = new Map<string, { readonly at: number; readonly asked: Promise<AskedOf> }>();
  const turns = new Map<string, Semaphore>();

  const askedOf = async (open: OpenLink): Promise<AskedOf> => {
    const version = counts.version(open);
    const before = known.get(version.key);
    if (before && now() - before.at < ASKED_MS && now() >= before.at) return await before.asked;
    const ask = async (): Promise<AskedOf> => {
      const context = await counts.context(await figures.source(version));
      // Not the signal of one request: others wait for the same answer.
      return await figures.asked(version, context, new AbortController().signal);
    };
    const asked = ask();
    putNewest(known, version.key, { at: now(), asked }, MAX_ASKED);
    asked.catch(() => known.delete(version.key));
    return await asked.catch(explained);
  };

  /** Of the questions of a link, one is answered at once: its visitors leave the threads to others. */
  const inTurn = <T>(
    { link }: OpenLink,
    of: 'counts' | 'posts',
    answer: () => Promise<T>,
    stop: AbortSignal,
  ): Promise<T> => {
    const key = `${link.id} ${of}`;
    const turn = turns.get(key) ?? new Semaphore(1);
    putNewest(turns, key, turn, MAX_TURNS);
    return turn.take(answer, stop);
  };

  /** Requires a question that the board itself may ask. @throws {@link Fault} 403. */
  const check = (
    open: OpenLink,
    asked: AskedOf,
    query: string | undefined,
    span: Span,
    compared = span,
  ): void => {
    if (query === undefined || !asked.queries.includes(query)) {
      throw plainProblem(403, 'Forbidden', 'This link counts only the topics of its board.');
    }
    if (viewSettings(open.link).presets) return;
    const [first, last] = [asked.start - AROUND_MS, asked.end + AROUND_MS];
    const isWithin = span.start >= first && Math.max(span.end, compared.end) <= last;
    // The first peak of a board is compared with as much time before it.
    if (isWithin && compared.start >= first - (span.end - span.start)) return;
    throw plainProblem(403, 'Forbidden', 'This link shows only the time of its board.');
  };

  /** The source of a board where its Posts can be read and compared. @throws {@link Fault} 404. */
  const analysed = ({ source }: AskedOf): AnalysedSource => {
    if (source && source.id !== 'platform' && !source.cluster) return source.id;
    throw plainProblem(404, 'Not Found', 'The Posts of this board are not here.');
  };

  return {
    ...openViewPasswords(deps),
    askedOf,
    check,
    analysed,
    inTurn,
    /** A link's board, and its source without the number of its Posts; null if the board has all counts. */
    shownOf: async (open: OpenLink) => {
      const { file, source } = await askedOf(open);
      return { file, source: source && { ...source, posts: source.posts === 0 ? 0 : null } };
    },
    /**
     * Counts buckets of the board's queries.
     *
     * @returns The answer as JSON.
     * @throws {@link Fault} 403 for other queries; 400 for too many buckets; 404; 422.
     */
    count: async (
      open: OpenLink,
      questions: readonly ViewQuestion[],
      stop: AbortSignal,
    ): Promise<Uint8Array<ArrayBuffer>> => {
      const asked = await askedOf(open);
      const sum = questions.reduce((total, { buckets }) => total + buckets, 0);
      if (sum > MAX_VIEW_BUCKETS) {
        const detail = `A request may ask for ${MAX_VIEW_BUCKETS} buckets, not ${sum}.`;
        throw plainProblem(400, 'Bad Request', detail);
      }
      const { source } = asked;
      if (!source) throw plainProblem(404, 'Not Found', 'The board counts nothing.');
      for (const { query, start, buckets, granularity } of questions) {
        check(open, asked, query, { start, end: start + buckets * BUCKET_MS[granularity] });
      }
      const { hidden, outside } = await counts.context(source.id);
      const answer = async (): Promise<Uint8Array<ArrayBuffer>> => {
        if (!outside) {
          return await figures.count(source.id, questions, hidden, stop).catch(explained);
        }
        const found: CountedBuckets[] = [];
        for (const each of questions) {
          found.push(await counts.outside(sourceQuestion(source.id, each), stop));
        }
        return writtenCounts(found);
      };
      return await inTurn(open, 'counts', answer, stop);
    },
  };

  /** The errors of a board as its visitor reads them. */
  function explained(error: unknown): never {
    const name = error instanceof Error ? error.name : '';
    if (name !== 'BoardError' && name !== 'WrongQueryError') throw error;
    throw plainProblem(422, 'Unprocessable Content', (error as Error).message);
  }
}
