import { fold } from './fold.ts';

/** The form in which names of places and entities are compared, whole: folded, with single spaces. */
export function label(name: string): string {
  return fold(name).replaceAll(/\s+/gu, ' ').trim();
}
