import type { Activity } from '#server/ads/activity.ts';
import type { AdsStore } from '#server/ads/store.ts';
import type { AdKindName } from '#contract/ads/ad-kinds.ts';
import type { Span } from '#core/time/span.ts';

/** Kinds with figures, and the kinds above them, the nearest first. */
const ABOVE: Readonly<Record<string, readonly AdKindName[]>> = {
  FUNDING_INSTRUMENT: [],
  CAMPAIGN: ['FUNDING_INSTRUMENT'],
  LINE_ITEM: ['CAMPAIGN', 'FUNDING_INSTRUMENT'],
  PROMOTED_TWEET: ['LINE_ITEM', 'CAMPAIGN', 'FUNDING_INSTRUMENT'],
  MEDIA_CREATIVE: ['LINE_ITEM', 'CAMPAIGN', 'FUNDING_INSTRUMENT'],
};

function merged(a: Activity, b: Activity): Activity {
  const placements = new Set([...a.placements, ...b.placements]);
  return {
    ...a,
    span: {
      start: Math.min(a.span.start, b.span.start),
      end: Math.max(a.span.end, b.span.end),
    },
    placements: [...placements],
  };
}

/**
 * The times at which the entities of a kind, or what belongs to them, had figures within a span.
 *
 * @param account - Id of the ad account.
 */
export function activeEntities(
  store: AdsStore,
  account: string,
  kind: string,
  span: Span,
): Activity[] {
  const isAccount = kind === 'ACCOUNT';
  const kinds = Object.keys(ABOVE).filter(
    (each) => isAccount || each === kind || ABOVE[each]?.includes(kind as AdKindName),
  );
  const parents = new Map<string, string | null>();
  const parentOf = (of: AdKindName, id: string): string | null => {
    const key = `${of} ${id}`;
    const known = parents.get(key) ?? store.find(of, id)?.parent ?? null;
    parents.set(key, known);
    return known;
  };
  /** Id of the entity of the kind that another one belongs to. */
  const owner = (activity: Activity): string | null => {
    if (isAccount) return account;
    if (activity.kind === kind) return activity.id;
    let id = activity.parent;
    for (const above of ABOVE[activity.kind] ?? []) {
      if (above === kind || id === null) return id;
      id = parentOf(above, id);
    }
    return null;
  };
  const found = new Map<string, Activity>();
  for (const activity of store.figures.active(
    account,
    isAccount ? [...kinds, kind] : kinds,
    span,
  )) {
    const id = owner(activity);
    if (id === null) continue;
    const known = found.get(id);
    found.set(
      id,
      known ? merged(known, activity) : activity.id === id ? activity : { ...activity, id },
    );
  }
  return [...found.values()];
}
