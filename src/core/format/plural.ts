import type { Resolution } from '#core/time/resolution.ts';
import { grouped } from './number-text.ts';

/** The word that goes with a number: `page` for 1, `pages` for every other. */
export function nounFor(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many;
}

/** `1 page`, `36 pages`. */
export function plural(count: number, one: string, many?: string): string {
  return `${count} ${nounFor(count, one, many)}`;
}

/** `1 page`, `1,036 pages`, for sentences of the service and of commands, which know no locale. */
export function groupedPlural(count: number, one: string, many?: string): string {
  return `${grouped(count)} ${nounFor(count, one, many)}`;
}

/** The width of a bucket with its article: `a day`, `an hour`. */
export function withArticle(resolution: Resolution): string {
  return `${resolution === 'hour' ? 'an' : 'a'} ${resolution}`;
}

/** The quantity of curves of Posts: `Posts a day`, `Share of the Posts of each day`. */
export function drawnPosts(resolution: Resolution, isShare: boolean): string {
  return isShare ? `Share of the Posts of each ${resolution}` : `Posts ${withArticle(resolution)}`;
}
