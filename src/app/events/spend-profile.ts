import type { CampaignDay } from '#app/counts/cache/saved-board.ts';
import { DAY_MS } from '#core/time/span.ts';

/** The shape of a campaign's spend, and the instant at which it begins. */
export interface SpendProfile {
  /** Epoch ms. */
  readonly start: number;
  /** Days of 24 hours from the first day with a known spend to the end of the last. */
  readonly days: number;
  /** The largest spend of a day. */
  readonly peak: number;
  /** One bar a day as the path of an SVG: x in days from the start, y from 0, the largest spend, to 1, none. */
  readonly path: string;
}

/** A day at a clock change has an hour more. */
const LONGEST_DAY = DAY_MS + 3_600_000;

function profileOf(days: readonly CampaignDay[]): SpendProfile | null {
  const known = days.filter(({ spend }) => spend !== null);
  const first = known[0]?.start ?? 0;
  const peak = Math.max(0, ...known.map(({ spend }) => spend ?? 0));
  if (peak === 0) return null;
  const bars = known.map(({ start, spend }, i) => {
    const next = known[i + 1]?.start ?? Infinity;
    const end = next - start <= LONGEST_DAY ? next : start + DAY_MS;
    const [from, to] = [start, end].map((at) => Number(((at - first) / DAY_MS).toFixed(3)));
    return { to: to ?? 0, path: `M${from} 1V${(1 - (spend ?? 0) / peak).toFixed(3)}H${to}V1Z` };
  });
  return {
    start: first,
    days: bars.at(-1)?.to ?? 0,
    peak,
    path: bars.map(({ path }) => path).join(''),
  };
}

const profiles = new WeakMap<readonly CampaignDay[], SpendProfile | null>();

/** The profile of spend by day, made once for each list of days; null if no spend above zero is known. */
export function spendProfile(days: readonly CampaignDay[]): SpendProfile | null {
  const made = profiles.get(days);
  if (made !== undefined) return made;
  const profile = profileOf(days);
  profiles.set(days, profile);
  return profile;
}
