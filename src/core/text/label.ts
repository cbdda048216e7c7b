import { fold, type TextMode } from './fold.ts';

/** The form in which whole names of places and entities are compared: folded, with single spaces. */
export function label(name: string, mode: TextMode = 'search'): string {
  return fold(name, mode).replaceAll(/\s+/gu, ' ').trim();
}
