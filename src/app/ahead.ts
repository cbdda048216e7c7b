import { queryEditor } from '#app/editor/fetched.ts';
import { keepParts } from './kept.ts';

/** So long everything else waits for the first curve, ms. */
export const FIRST_CURVE_MS = 2_000;

/** Parts of the page that are in sight, or needed at once, but not for the first curve. */
export interface Ahead {
  readonly History: typeof import('./board/history.svelte.ts').History;
  readonly Inquiry: typeof import('./board/inquiry.svelte.ts').Inquiry;
  readonly tools: typeof import('./board/series-tools.ts');
  readonly holdAgainst: typeof import('./board/hold-against.ts').holdAgainst;
  readonly pictureSummary: typeof import('./board/picture-summary.ts').pictureSummary;
  readonly BoardNotices: typeof import('./board/BoardNotices.svelte').default;
  readonly tips: typeof import('./chart/tips.ts');
  readonly Insight: typeof import('./board/Insight.svelte').default;
  readonly BoardLanes: typeof import('./board/BoardLanes.svelte').default;
  readonly PrintHead: typeof import('./board/PrintHead.svelte').default;
  readonly PrintFoot: typeof import('./board/PrintFoot.svelte').default;
}

/** Between looks for the service while it is away, ms. */
const AGAIN_MS = 2_000;

/**
 * Whether the parts can be had now. Browsers remember a part that could not be fetched as missing, so none is asked
 * for before: not of a service that is being stopped, which answers on some of its connections still.
 */
async function within(): Promise<boolean> {
  const kept = await keepParts();
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
export async function fetchAhead(): Promise<Ahead> {
  while (!(await within())) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  return await allParts();
}

async function allParts(): Promise<Ahead> {
  const [histories, inquiries, tools, hold, summary, notices, tips, numbers, lanes, head, foot] =
    await Promise.all([
      import('./board/history.svelte.ts'),
      import('./board/inquiry.svelte.ts'),
      import('./board/series-tools.ts'),
      import('./board/hold-against.ts'),
      import('./board/picture-summary.ts'),
      import('./board/BoardNotices.svelte'),
      import('./chart/tips.ts'),
      import('./board/Insight.svelte'),
      import('./board/BoardLanes.svelte'),
      import('./board/PrintHead.svelte'),
      import('./board/PrintFoot.svelte'),
    ]);
  void Promise.allSettled([
    queryEditor(),
    import('#app/counts/buying.ts'),
    import('#core/counts/audit.ts'),
    import('#app/insight/Buckets.svelte'),
    import('#app/insight/Ledger.svelte'),
    import('#app/settings/fault-text.ts'),
    import('./board/BoardActions.svelte'),
    import('./board/ExportOptions.svelte'),
    import('./board/exporter.ts'),
    import('./board/export-input.ts'),
    import('./board/PlanSheet.svelte'),
    import('./board/RangeChoice.svelte'),
    import('./board/SeriesFault.svelte'),
    import('./board/WrongQuery.svelte'),
    import('./board/ZoneList.svelte'),
    import('./board/ZoomLine.svelte'),
  ]);
  return {
    History: histories.History,
    Inquiry: inquiries.Inquiry,
    tools,
    holdAgainst: hold.holdAgainst,
    pictureSummary: summary.pictureSummary,
    BoardNotices: notices.default,
    tips,
    Insight: numbers.default,
    BoardLanes: lanes.default,
    PrintHead: head.default,
    PrintFoot: foot.default,
  };
}
