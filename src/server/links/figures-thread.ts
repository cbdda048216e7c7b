import type {
  BoardFigures,
  CountedBuckets,
  ReportBoard,
  ReportProgram,
  ReportQuestion,
  WantedFigures,
} from '#contract/counts/report.ts';
import type { PlatformAnswer } from '#contract/counts/platform.ts';
import type { SourceId, SourceInfo } from '#contract/counts/source.ts';
import type { ViewQuestion } from '#contract/links/view-link.ts';
import { putNewest } from '#core/newest.ts';
import { Semaphore } from '#core/semaphore.ts';
import { counterOver, type StoredSource } from '#server/counting/counter.ts';
import { countedSource } from '#server/counting/counted-source.ts';
import { sourcesIn } from '#server/posts/index/sources-in.ts';
import { thread } from '#server/threads.ts';
import { sourceQuestion, writtenCounts } from './view-counts.ts';
import { transferring } from '#server/answer-calls.ts';
import type { TaskHost, ThreadDeps } from '#server/thread-task.ts';

/** A board as the service stores it. */
export interface LinkedBoard {
  /** Differs for every version of every board. */
  readonly key: string;
  readonly file: Uint8Array<ArrayBuffer>;
}

/** Counts that another thread made, by {@link questionKey}. */
export type GivenCounts = ReadonlyMap<string, CountedBuckets>;

/** The facts that only the service knows. */
export interface FiguresContext {
  /** Ids of the users whose Posts are left out, by source. */
  readonly hidden: Readonly<Record<StoredSource, readonly string[]>>;
  /** A source that is not counted in the thread; null if all are. */
  readonly outside: { readonly info: SourceInfo; readonly given: GivenCounts } | null;
  /** Null where the platform is not connected. */
  readonly platform: PlatformAnswer | null;
}

/** Figures, or the questions about the source outside that have to be answered before. */
export type FiguresOutcome =
  | { readonly kind: 'figures'; readonly figures: BoardFigures }
  | { readonly kind: 'questions'; readonly questions: readonly ReportQuestion[] };

/** A board as its visitors get it, and the questions that it asks to show its own time. */
export interface AskedOf {
  /** See `shared` of `contract/counts/report.ts`. */
  readonly file: Uint8Array<ArrayBuffer>;
  /** Null if all counts are in the board, or there is no such source. */
  readonly source: SourceInfo | null;
  readonly queries: readonly string[];
  /** Start of the first bucket and end of the last, epoch ms; without any, Infinity and its negative. */
  readonly start: number;
  readonly end: number;
}

interface ThreadFiles {
  readonly files: Readonly<Record<StoredSource, string>>;
  /** Address of the program of reports. */
  readonly reporter: string;
}

/** Boards that are open: a link is read again and again. */
const MAX_OPEN = 64;

/** A view as the machine has it, where a board does not say. */
const ZONE = 'UTC';

/** Identifies a question. */
export function questionKey({ source, query, bounds }: ReportQuestion): string {
  // Edges in between follow from the zone of the board.
  return JSON.stringify([source, query, bounds.length, bounds[0], bounds[1], bounds.at(-1)]);
}

/** Nothing known. */
function unknown(size: number): CountedBuckets {
  const none = (): Float64Array<ArrayBuffer> => new Float64Array(size).fill(Number.NaN);
  return { counts: none(), states: new Uint8Array(size), fetchedAt: none() };
}

/** Writes figures of boards in a thread of its own, so that counts are not delayed. */
export type Figures = ReturnType<typeof openFigures>;

/** The first call starts the thread. */
export function openFigures(host: TaskHost, files: ThreadFiles) {
  const { methods, running, close } = thread(host, FIGURES, files);
  return {
    source: methods.source,
    figures: methods.figures,
    asked: methods.asked,
    count: methods.count,
    /** Opens the file of a source again, after it was replaced. */
    reopen: async (source: StoredSource): Promise<void> => void (await running()?.reopen(source)),
    close,
  };
}

/** The figures of boards in their thread. Errors of the program of reports have its names, not its classes. */
function figuresOver({ files, reporter }: ThreadFiles, { random, elapsed, now }: ThreadDeps) {
  const { find, reopen, close } = sourcesIn(files, { random });
  let hidden: FiguresContext['hidden'] = { posts: [], sample: [] };
  const counter = counterOver(find, { now, elapsed }, (source) => hidden[source]);
  const boards = new Map<string, Promise<ReportBoard>>();
  const program = (): Promise<ReportProgram> =>
    import(/* @vite-ignore */ reporter) as Promise<ReportProgram>;
  const boardOf = ({ key, file }: LinkedBoard): Promise<ReportBoard> => {
    const board = boards.get(key) ?? program().then(({ openBoard }) => openBoard({ stored: file }));
    putNewest(boards, key, board, MAX_OPEN);
    board.catch(() => boards.delete(key));
    return board;
  };
  /** The board of a version, what surrounds it, and what counts it; `count` counts in the thread. */
  const prepared = async (
    version: LinkedBoard,
    { hidden: those, outside, platform }: FiguresContext,
    stop: AbortSignal,
  ) => {
    const board = await boardOf(version);
    hide(those);
    const { source } = board;
    const info =
      outside?.info ??
      (source === null || source === 'platform' ? null : await countedSource(counter, source));
    const { locale } = Intl.DateTimeFormat().resolvedOptions();
    return {
      board,
      info,
      surroundings: { now: now(), zone: ZONE, locale },
      counts: { stop, sources: info ? [info] : [], ...(platform && { platform }) },
    };
  };
  /** The same lists as long as they are equal: what they hide is found once. */
  const hide = (those: FiguresContext['hidden']): void => {
    if (JSON.stringify(hidden) !== JSON.stringify(those)) hidden = those;
  };
  const counted = async (question: ReportQuestion, stop: AbortSignal): Promise<CountedBuckets> => {
    const found = await counter.count(question, stop);
    if (found) return found;
    throw stop.reason;
  };
  // One after the other: figures of a long time take hundreds of megabytes for a moment.
  const turns = new Semaphore(1);
  return {
    /** The source that a board counts; null for none. */
    source: async (board: LinkedBoard): Promise<SourceId | null> => (await boardOf(board)).source,
    figures: (
      version: LinkedBoard,
      wanted: WantedFigures,
      context: FiguresContext,
      signal: AbortSignal,
    ): Promise<FiguresOutcome> =>
      turns.take(async () => {
        const { outside } = context;
        const { board, surroundings, counts } = await prepared(version, context, signal);
        const questions: ReportQuestion[] = [];
        const count = async (question: ReportQuestion): Promise<CountedBuckets> => {
          if (!outside) return await counted(question, signal);
          const given = outside.given.get(questionKey(question));
          if (given) return given;
          questions.push(question);
          return unknown(question.bounds.length - 1);
        };
        try {
          const figures = await board.figures(wanted, surroundings, { ...counts, count });
          if (questions.length > 0) return { kind: 'questions', questions } as const;
          return transferring({ kind: 'figures', figures } as const, [figures.bytes.buffer]);
        } catch (error) {
          // A picture without any count, of which some may be given in the next round.
          if (questions.length === 0) throw error;
          return { kind: 'questions', questions } as const;
        }
      }, signal),
    /** The questions of a board as it is now. */
    asked: (version: LinkedBoard, context: FiguresContext, signal: AbortSignal): Promise<AskedOf> =>
      turns.take(async () => {
        const file = await (await boardOf(version)).shared();
        const shown = { key: `${version.key} shared`, file };
        const { board, info, surroundings, counts } = await prepared(shown, context, signal);
        const queries = new Set<string>();
        let [start, end] = [Infinity, -Infinity];
        const count = async ({ query, bounds }: ReportQuestion): Promise<CountedBuckets> => {
          queries.add(query);
          start = Math.min(start, bounds[0] ?? Infinity);
          end = Math.max(end, bounds.at(-1) ?? -Infinity);
          return unknown(bounds.length - 1);
        };
        await board.read(surroundings, { ...counts, count });
        return { file, source: info, queries: [...queries], start, end };
      }, signal),
    /**
     * Answers the questions of a view about a source of the thread.
     *
     * @returns The answer as JSON.
     * @throws {@link WrongQueryError} by its name.
     */
    count: async (
      source: SourceId,
      questions: readonly ViewQuestion[],
      those: FiguresContext['hidden'],
      signal: AbortSignal,
    ): Promise<Uint8Array<ArrayBuffer>> => {
      const found: CountedBuckets[] = [];
      for (const question of questions) {
        // A turn for each: a visitor with many long ones delays others by one alone.
        const next = turns.take(() => {
          hide(those);
          return counted(sourceQuestion(source, question), signal);
        }, signal);
        found.push(await next);
      }
      const answer = writtenCounts(found);
      return transferring(answer, [answer.buffer]);
    },
    reopen,
    close,
  };
}

export const FIGURES = {
  name: 'figures',
  limits: { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 64 },
  ended: 'the thread that writes the figures of boards ended unexpectedly',
  open: figuresOver,
};
