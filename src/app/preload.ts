import { queryEditor } from '#app/editor/query-editor.ts';
import { isStored, storePage } from './offline.ts';

/** The time for which everything else waits for the first curve, ms. */
export const FIRST_CURVE_MS = 2_000;

/** Parts of the page that are visible or needed soon, but not for the first curve. */
export type PreloadedParts = Awaited<ReturnType<typeof allParts>>;

/** Between checks for the service while it is offline, ms. */
const CHECK_MS = 2_000;

/** Attempts to load the parts while the service answers. A service that stops still answers on some of its connections. */
const ATTEMPTS = 3;

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, CHECK_MS));

/** True if the parts can load now. */
async function reachable(): Promise<boolean> {
  if (isStored()) return true;
  const answer = fetch(location.pathname, { method: 'HEAD', cache: 'no-store' });
  return await answer.then(
    ({ ok }) => ok,
    () => false,
  );
}

/**
 * Loads the rest of the page once its first curve is drawn; waits while the service is offline. Also loads what opens
 * on a click, so that it opens without delay, and offline.
 *
 * @throws If a part is still missing after {@link ATTEMPTS}: only a reload of the page can load it.
 */
export async function preload(): Promise<PreloadedParts> {
  for (let attempt = 1; ; attempt += 1) {
    while (!(await reachable())) await pause();
    try {
      const parts = await allParts();
      // Not before, because it fetches everything.
      storePage();
      return parts;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await pause();
    }
  }
}

async function allParts() {
  const [
    histories,
    lives,
    browserLives,
    liveButton,
    inspectors,
    reordering,
    seriesKeys,
    seriesStatus,
    comparing,
    chosen,
    summary,
    marks,
    exportMenu,
    finer,
    chips,
    viewMenu,
    zoomChip,
    notices,
    overlay,
    overview,
    gestures,
    forecasts,
    notes,
    numbers,
    dropZone,
    dialogs,
    events,
    under,
    eventsDrawer,
    head,
    printTable,
    foot,
    finding,
    bell,
  ] = await Promise.all([
    import('#app/board/state/undo.svelte.ts'),
    import('#app/board/state/live.svelte.ts'),
    import('#app/counts/browser-live.ts'),
    import('#app/board/chart-panel/LiveButton.svelte'),
    import('#app/board/state/peak-inspector.svelte.ts'),
    import('#app/board/state/reorder.ts'),
    import('#app/board/series/series-keys.ts'),
    import('#app/board/series/SeriesStatus.svelte'),
    import('#app/board/state/compare-with.ts'),
    import('#core/series/chosen-span.ts'),
    import('#app/board/chart-panel/chart-summary.ts'),
    import('#app/board/chart-panel/marks.ts'),
    import('#app/board/files/ExportMenu.svelte'),
    import('#app/board/chart-panel/FinerOffer.svelte'),
    import('#app/board/series/SeriesChips.svelte'),
    import('#app/board/chart-panel/ViewMenu.svelte'),
    import('#app/board/range/ZoomChip.svelte'),
    import('#app/board/toolbar/BoardNotices.svelte'),
    import('#app/chart/interact/Overlay.svelte'),
    import('#app/chart/draw/Overview.svelte'),
    import('#app/chart/interact/gestures.ts'),
    import('#app/chart/forecast/forecasts.svelte.ts'),
    import('#app/chart/notes/notes.ts'),
    import('#app/board/insight-panel/Insight.svelte'),
    import('#app/import/DropZone.svelte'),
    import('./AppDialogs.svelte'),
    import('#app/events/board-events.svelte.ts'),
    import('#app/board/chart-panel/EventsUnder.svelte'),
    import('#app/board/chart-panel/EventsDrawer.svelte'),
    import('#app/board/print/PrintHead.svelte'),
    import('#app/board/print/PrintTable.svelte'),
    import('#app/board/print/PrintFoot.svelte'),
    import('#app/board/chart-panel/FindingLine.svelte'),
    import('#app/alerts/AlertBell.svelte'),
    // Letters typed before the editor of a new query are lost.
    queryEditor(),
  ]);
  void Promise.allSettled([
    import('#app/counts/fetch/paid-fetch.ts'),
    import('#app/chart/draw/bar-chart.ts'),
    import('#core/counts/audit.ts'),
    import('#app/insight/drawer/Buckets.svelte'),
    import('#app/insight/log/FetchLog.svelte'),
    import('#app/format/fault-text.ts'),
    import('#app/import/import-queue.svelte.ts'),
    import('#app/import/ImportSheet.svelte'),
    import('#app/import/open-file.ts'),
    import('#app/board/saved/BoardActions.svelte'),
    import('#app/board/saved/board-files.ts'),
    import('#app/board/files/ExportOptions.svelte'),
    import('#app/board/files/save-files.ts'),
    import('#app/board/plan/PlanSheet.svelte'),
    import('#app/board/range/RangeChoice.svelte'),
    import('#app/board/series/SeriesFault.svelte'),
    import('#app/board/series/WrongQuery.svelte'),
    import('#app/board/range/ZoneList.svelte'),
    import('#app/board/chart-panel/ViewOptions.svelte'),
  ]);
  return {
    History: histories.History,
    Live: lives.Live,
    browserLive: browserLives.browserLive,
    LiveButton: liveButton.default,
    PeakInspector: inspectors.PeakInspector,
    tools: {
      reorder: reordering.reorder,
      seriesKey: seriesKeys.seriesShortcuts,
      SeriesStatus: seriesStatus.default,
    },
    comparing,
    chosenSpan: chosen.chosenSpan,
    chartSummary: summary.chartSummary,
    marksOf: marks.marksOf,
    ExportMenu: exportMenu.default,
    FinerOffer: finer.default,
    SeriesChips: chips.default,
    ViewMenu: viewMenu.default,
    ZoomChip: zoomChip.default,
    BoardNotices: notices.default,
    chartParts: {
      Overlay: overlay.default,
      Overview: overview.default,
      gestures: gestures.gestures,
      analyse: forecasts.analyseOnPage,
      notesOf: notes.chartCaveats,
    },
    Insight: numbers.default,
    DropZone: dropZone.default,
    AppDialogs: dialogs.default,
    BoardEvents: events.BoardEvents,
    EventsUnder: under.default,
    EventsDrawer: eventsDrawer.default,
    PrintHead: head.default,
    PrintTable: printTable.default,
    PrintFoot: foot.default,
    FindingLine: finding.default,
    AlertBell: bell.default,
  };
}
