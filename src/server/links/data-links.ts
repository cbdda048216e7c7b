import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { END_LAG_MS } from '#contract/counts/counts.ts';
import type { BoardFigures, ShownTime, WantedFigures } from '#contract/counts/report.ts';
import type { SourceId } from '#contract/counts/source.ts';
import { plainProblem } from '#contract/fault.ts';
import type { DataFile } from '#contract/links/data-file.ts';
import { SETTLE_MS } from '#core/counts/ledger.ts';
import { putNewest } from '#core/newest.ts';
import { Semaphore } from '#core/semaphore.ts';
import { startOf } from '#core/time/calendar.ts';
import { spanOf, type SourceEnds } from '#core/time/range.ts';
import { ARCHIVE_START, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time/span.ts';
import { wallTime, zoneTable, type ZoneTable } from '#core/time/zone.ts';
import type { ServiceContext } from '#server/context.ts';
import { noteProtection } from '#server/users/hidden.ts';
import type { OpenLink } from './board-links.ts';
import type { LinkCounts } from './link-counts.ts';
import { questionKey, type Figures, type LinkedBoard } from './figures-thread.ts';

/** Figures of a board, or null if the client has them. */
interface DataAnswer {
  readonly etag: string;
  readonly figures: BoardFigures | null;
}

/** Views whose time is remembered, for answers without a count. */
const MAX_KNOWN = 1024;
/** Answers in memory, and the most bytes of one: spreadsheets and pictures ask without a tag. */
const MAX_RECENT = 64;
const MAX_RECENT_BYTES = 2 ** 20;
/**
 * Bytes of an answer from memory for each ms until the next one: sending half a megabyte takes this process 2 ms, in which
 * it counts nothing.
 */
const PAUSED_BYTES = 25_000;
/** The files that say nothing of when they were counted. Others are counted again after a minute. */
const TIMELESS: ReadonlySet<DataFile> = new Set(['wide.csv', 'chart.svg']);
/** Most rounds of counting outside the thread: a series that is compared with another asks after it. */
const MAX_ROUNDS = 4;

/** The state of what a board counts: a text that differs for every one, and the ends of its Posts. */
interface SourceState {
  readonly text: string;
  readonly ends: SourceEnds | null;
}

/** The tag of what a link gives, which differs for every link. */
function etagOf({ id }: OpenLink['link'], content: string): string {
  return `W/"${hash('sha256', `${id} ${content}`, 'base64url')}"`;
}

/** True if a list of entity tags, null for none, has one. */
function isIn(match: string | null, etag: string): boolean {
  return match !== null && match.split(',').some((each) => each.trim() === etag);
}

/** The place of an answer in memory. @param asked - Epoch ms. */
function placeOf(content: string, { file }: WantedFigures, asked: number): string {
  return `${TIMELESS.has(file) ? 0 : Math.floor(asked / MINUTE_MS)} ${content}`;
}

type Deps = Pick<
  ServiceContext,
  'service' | 'source' | 'cluster' | 'editor' | 'connection' | 'now' | 'log'
> & { readonly figures: Figures; readonly counts: LinkCounts };

/** Answers data links. It reads only what is known, and buys nothing. */
export function openDataLinks(deps: Deps) {
  const { source: find, cluster, connection, now, figures, counts } = deps;
  const known = new Map<string, ShownTime>();
  /** By their content, which links of one board share. */
  const recent = new Map<string, BoardFigures>();
  /** Of readers of the same figures, the others wait for what the first one computes. */
  const turns = new Map<string, Semaphore>();
  /** Resolves when the next answer from memory may go. */
  let free: Promise<unknown> = Promise.resolve();
  const tables = new Map<string, ZoneTable>();

  const tableOf = (zone: string, at: number): ZoneTable => {
    // A day later the same table still covers the range of any preset.
    const key = `${zone} ${Math.floor(at / DAY_MS)}`;
    const span = { start: ARCHIVE_START - 400 * DAY_MS, end: at + 401 * DAY_MS };
    const table = tables.get(key) ?? zoneTable(zone, span);
    putNewest(tables, key, table, 8);
    return table;
  };

  const stateOf = async (id: SourceId | null): Promise<SourceState> => {
    if (id === null) return { text: '', ends: null };
    if (id === 'platform') return { text: connection?.relay?.state ?? '', ends: null };
    if (id === 'posts') await noteProtection(deps);
    const opened = cluster && id === 'posts' ? null : find(id);
    opened?.refresh();
    const info = opened ? opened.index : cluster && id === 'posts' ? await cluster.info() : null;
    if (!info) return { text: '', ends: null };
    const { store, revision, mark, first, last } = info;
    return { text: JSON.stringify([store, revision, mark]), ends: { first, last } };
  };

  /** The bounds on which the counts of a time depend besides what is stored. */
  const resolved = (time: ShownTime, ends: SourceEnds | null, asked: number): readonly number[] => {
    const { preset, zone, weekStart, resolution } = time;
    const at = asked - END_LAG_MS;
    const table = tableOf(zone, at);
    const context = { table, weekStart, now: at, source: ends };
    const span = (preset && spanOf({ preset }, context)) ?? time.span;
    const begun = (at: number): number => {
      const wall = wallTime(table, Math.min(at, span.end));
      if (resolution === 'minute') return Math.floor(wall / MINUTE_MS);
      if (resolution === 'hour') return Math.floor(wall / HOUR_MS);
      return startOf(resolution, wall, weekStart);
    };
    // Posts of the last seconds are not counted yet.
    const head = Math.min(at, ends?.last ?? at, span.end);
    return [span.start, span.end, begun(at), begun(at - SETTLE_MS), Math.floor(head / SECOND_MS)];
  };

  /** Differs for all figures that may differ but for when they were counted. */
  const contentOf = (
    key: string,
    { text, ends }: SourceState,
    time: ShownTime,
    asked: number,
  ): string => JSON.stringify([key, time.zone, text, resolved(time, ends, asked)]);

  const written = async (
    version: LinkedBoard,
    id: SourceId | null,
    wanted: WantedFigures,
    stop: AbortSignal,
  ): Promise<BoardFigures> => {
    const context = await counts.context(id);
    let { outside } = context;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const outcome = await figures.figures(version, wanted, { ...context, outside }, stop);
      if (outcome.kind === 'figures') return outcome.figures;
      const given = new Map(outside?.given);
      for (const question of outcome.questions) {
        given.set(questionKey(question), await counts.outside(question, stop));
      }
      outside = outside && { ...outside, given };
    }
    throw new RangeError(`expected counts after ${MAX_ROUNDS} rounds`);
  };

  return {
    /**
     * The figures of a link's board as of now.
     *
     * @param match - The entity tags that the client has; null if it sent none.
     * @throws {@link Fault} 400 for too many rows; 422 for a board that cannot be counted.
     */
    read: (
      open: OpenLink,
      wanted: WantedFigures,
      match: string | null,
      stop: AbortSignal,
    ): Promise<DataAnswer> => {
      const { link, board } = open;
      const key = JSON.stringify([link.login, link.board, board.revision, wanted]);
      const turn = turns.get(key) ?? new Semaphore(1);
      putNewest(turns, key, turn, MAX_KNOWN);
      return turn.take(async () => {
        const asked = now();
        const before = known.get(key);
        if (before) {
          const content = contentOf(key, await stateOf(before.source), before, asked);
          const etag = etagOf(link, content);
          if (isIn(match, etag)) return { etag, figures: null };
          const figures = recent.get(placeOf(content, wanted, asked));
          if (figures) {
            const last = free;
            free = last.then(() =>
              sleep(figures.bytes.length / PAUSED_BYTES, undefined, { ref: false }),
            );
            await last;
            return { etag, figures };
          }
        }
        try {
          const version = counts.version(open);
          const id = before ? before.source : await figures.source(version);
          // As it was, and when it was, before the figures: they may be newer than their tag, never older.
          const state = await stateOf(id);
          const found = await written(version, id, wanted, stop);
          putNewest(known, key, found.time, MAX_KNOWN);
          const content = contentOf(key, state, found.time, asked);
          if (found.bytes.length <= MAX_RECENT_BYTES) {
            putNewest(recent, placeOf(content, wanted, asked), found, MAX_RECENT);
          }
          const etag = etagOf(link, content);
          return { etag, figures: isIn(match, etag) ? null : found };
        } catch (error) {
          if (!(error instanceof Error)) throw error;
          const { name, message } = error;
          if (name === 'TooManyRowsError') throw plainProblem(400, 'Bad Request', message);
          if (name !== 'BoardError' && name !== 'WrongQueryError') throw error;
          throw plainProblem(422, 'Unprocessable Content', message);
        }
      }, stop);
    },
  };
}
