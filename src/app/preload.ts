import type { ChartOverlays } from '#app/chart/chart-props.ts';
import { queryEditor } from '#app/editor/query-editor.ts';
import { registerServiceWorker } from './offline.ts';

/** So long everything else waits for the first curve, ms. */
export const FIRST_CURVE_MS = 2_000;

/** Parts of the page that are in sight, or needed at once, but not for the first curve. */
export interface PreloadedParts {
  readonly History: typeof import('#app/board/state/undo.svelte.ts').History;
  readonly PeakInspector: typeof import('#app/board/state/peak-inspector.svelte.ts').PeakInspector;
  readonly tools: typeof import('#app/board/series/series-tools.ts');
  readonly compareWith: typeof import('#app/board/state/compare-with.ts').compareWith;
  readonly pictureSummary: typeof import('#app/board/chart-panel/chart-summary.ts').pictureSummary;
  readonly BoardNotices: typeof import('#app/board/toolbar/BoardNotices.svelte').default;
  readonly chartOverlays: ChartOverlays;
  readonly Insight: typeof import('#app/board/insight-panel/Insight.svelte').default;
  readonly BoardLanes: typeof import('#app/board/chart-panel/BoardLanes.svelte').default;
  readonly PrintHead: typeof import('#app/board/print/PrintHead.svelte').default;
  readonly PrintFoot: typeof import('#app/board/print/PrintFoot.svelte').default;
}

/** Between looks for the service while it is away, ms. */
const AGAIN_MS = 2_000;

/**
 * Whether the parts can be had now. Browsers remember a part that could not be fetched as missing, so none is asked
 * for before: not of a service that is being stopped, which answers on some of its connections still.
 */
async function within(): Promise<boolean> {
  const kept = await registerServiceWorker();
  if (kept !== 'none') return kept === 'kept';
  const look = fetch(location.pathname, { method: 'HEAD', cache: 'no-store' });
  return await look.then(
    ({ ok }) => ok,
    () => false,
  );
}

/**
 * Fetches what the page goes on with once its first curve is drawn; while the service is away it waits. What opens
 * at a click comes along, so that it opens without a wait, and offline.
 *
 * @throws Where a part is missing all the same: only another load of the page brings it.
 */
export async function preload(): Promise<PreloadedParts> {
  while (!(await within())) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  return await allParts();
}

async function allParts(): Promise<PreloadedParts> {
  const [
    histories,
    inquiries,
    tools,
    hold,
    summary,
    notices,
    overlay,
    overview,
    numbers,
    lanes,
    head,
    foot,
  ] = await Promise.all([
    import('#app/board/state/undo.svelte.ts'),
    import('#app/board/state/peak-inspector.svelte.ts'),
    import('#app/board/series/series-tools.ts'),
    import('#app/board/state/compare-with.ts'),
    import('#app/board/chart-panel/chart-summary.ts'),
    import('#app/board/toolbar/BoardNotices.svelte'),
    import('#app/chart/Overlay.svelte'),
    import('#app/chart/Overview.svelte'),
    import('#app/board/insight-panel/Insight.svelte'),
    import('#app/board/chart-panel/BoardLanes.svelte'),
    import('#app/board/print/PrintHead.svelte'),
    import('#app/board/print/PrintFoot.svelte'),
  ]);
  void Promise.allSettled([
    queryEditor(),
    import('#app/counts/fetch/paid-fetch.ts'),
    import('#core/counts/audit.ts'),
    import('#app/insight/Buckets.svelte'),
    import('#app/insight/FetchLog.svelte'),
    import('#app/format/fault-text.ts'),
    import('#app/board/saved/BoardActions.svelte'),
    import('#app/board/files/ExportOptions.svelte'),
    import('#app/board/files/save-files.ts'),
    import('#app/board/plan/PlanSheet.svelte'),
    import('#app/board/range/RangeChoice.svelte'),
    import('#app/board/series/SeriesFault.svelte'),
    import('#app/board/series/WrongQuery.svelte'),
    import('#app/board/range/ZoneList.svelte'),
    import('#app/board/chart-panel/ZoomLine.svelte'),
  ]);
  return {
    History: histories.History,
    PeakInspector: inquiries.PeakInspector,
    tools,
    compareWith: hold.compareWith,
    pictureSummary: summary.pictureSummary,
    BoardNotices: notices.default,
    chartOverlays: { Overlay: overlay.default, Overview: overview.default },
    Insight: numbers.default,
    BoardLanes: lanes.default,
    PrintHead: head.default,
    PrintFoot: foot.default,
  };
}
