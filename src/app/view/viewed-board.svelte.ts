import { Board } from '#app/board/state/board.svelte.ts';
import * as comparing from '#app/board/state/compare-with.ts';
import { PeakInspector } from '#app/board/state/peak-inspector.svelte.ts';
import { lostFiles } from '#app/board/state/workspace.svelte.ts';
import { rankPosts } from '#app/api/ranked-api.ts';
import type { Note } from '#app/counts/cache/saved-board.ts';
import { onKinds, shownNotes } from '#app/events/event.ts';
import { countedRun } from '#app/report/counted-run.svelte.ts';
import { readGiven } from '#app/report/given-board.ts';
import { plainProblem } from '#contract/fault.ts';
import type { OpenedView } from '#contract/links/view-link.ts';
import { chosenSpan } from '#core/series/chosen-span.ts';
import { searchHours } from '#core/series/peaks.ts';
import type { WeekStart } from '#core/time/resolution.ts';
import type { ViewService } from './view-service.ts';

/** The facts about its reader that the page knows. */
export interface ViewSurroundings {
  /** Epoch ms. */
  now(): number;
  /** IANA name, for a board without a zone. */
  readonly zone: string;
  readonly weekStart: WeekStart;
  /** True on a phone. */
  readonly narrow: boolean;
}

const later = (act: () => void, ms = 0): unknown => setTimeout(act, ms);

/** The board of a view link, which its reader does not change. */
export class ViewedBoard {
  readonly board: Board;
  readonly inspector: PeakInspector;
  readonly name: string;
  /** The notes that the chart shows. */
  readonly notes: readonly Note[];
  /** True if Posts are listed; and if another time may be chosen. */
  readonly posts: boolean;
  readonly presets: boolean;
  /** The reason the last counts did not come; null if they did. */
  fault = $state.raw<unknown>(null);

  private constructor(
    board: Board,
    inspector: PeakInspector,
    name: string,
    notes: readonly Note[],
    opened: OpenedView,
  ) {
    this.board = board;
    this.inspector = inspector;
    this.name = name;
    this.notes = notes;
    this.posts = opened.posts;
    this.presets = opened.presets;
  }

  #note(fault: unknown): void {
    this.fault = fault;
    // A chart without counts then refers to the note at the top.
    this.board.source.offline = fault !== null;
  }

  /** Shows a board as it was saved. @throws {@link BoardError} for a board that cannot be read. */
  static async of(
    service: ViewService,
    opened: OpenedView,
    { now, zone, weekStart, narrow }: ViewSurroundings,
  ): Promise<ViewedBoard> {
    const stored = Uint8Array.from(atob(opened.board), (letter) => letter.charCodeAt(0));
    const { view, problems, notes, fixed } = await readGiven({ stored });
    const run = (report: (error: unknown) => void) =>
      countedRun({
        count: (question) => service.count(question),
        before: () => undefined,
        plain: false,
        now,
        follow: (load) => void load.then(() => viewed.#note(null), report),
      });
    const board = new Board({
      run: () => run((error) => viewed.#note(error)),
      sources: () =>
        Promise.resolve({ sources: opened.source ? [opened.source] : [], offline: false }),
      platform: () => Promise.reject(plainProblem(403, 'Forbidden', 'A view has no prices.')),
      now,
      zone,
      weekStart,
      later,
    });
    // The drawer asks for Posts by itself.
    const client: typeof service.client = opened.posts
      ? service.client
      : {
          json: (path, ...of) =>
            path.includes('/ranked?')
              ? Promise.reject(plainProblem(403, 'Forbidden', 'This link shows no Posts.'))
              : service.client.json(path, ...of),
        };
    const inspector = new PeakInspector(board, {
      // A view has no pages of search: the newest Posts are those nearest to the end.
      search: async (source, _endpoint, { query, span, max = 10 }, signal) => {
        if (source === 'platform') throw new RangeError('expected a source of the service');
        const ask = { query, span, order: 'nearest', at: span.end, max } as const;
        return { posts: await rankPosts(client, source)(ask, signal), next: null };
      },
      client,
      acting: { id: null },
      // The course around a long peak may be more than the link shows: it is missing then.
      run: () => run(() => undefined),
      later,
      // A page of no origin starts no worker.
      searchHours: (hours, zone) => Promise.resolve(searchHours(hours, zone)),
    });
    const dated = shownNotes(notes, onKinds(view.events ?? []));
    const viewed = new ViewedBoard(board, inspector, opened.name, dated, opened);
    [board.comparing, board.chosenSpan] = [comparing, chosenSpan];
    board.time.narrow = narrow;
    board.series.fixed = fixed;
    const { picked: _, live: __, tab: ___, ...shown } = view;
    board.apply(shown, [...problems, ...lostFiles(view, fixed)]);
    await board.loadSources();
    return viewed;
  }
}
