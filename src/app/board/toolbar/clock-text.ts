import { MINUTE_MS } from '#core/time/span.ts';
import { roughDuration } from '#app/format/duration.ts';

/**
 * The notice that the clocks of the platform and of the service differ.
 *
 * @param skewMs - The lead of the platform's clock, ms; null if unknown.
 * @returns Null if they differ by a minute at most.
 */
export function clockWords(skewMs: number | null): { fact: string; effect: string } | null {
  const apart = Math.abs(skewMs ?? 0);
  if (skewMs === null || apart <= MINUTE_MS) return null;
  const way = skewMs > 0 ? 'ahead of' : 'behind';
  return {
    fact: `The platform’s clock is ${roughDuration(apart)} ${way} the service’s.`,
    effect:
      'Days settle by the earlier of the two. Check the clock of the machine that runs the service.',
  };
}
