import type { WrittenNoteInfo } from '#contract/notes/note-settings.ts';
import type { Formatter } from '#app/format/formatter.ts';

/** Statuses of a note, in words. */
export const STATUS_NAMES: Readonly<Record<WrittenNoteInfo['status'], string>> = {
  currently_rated_helpful: 'Rated helpful',
  currently_rated_not_helpful: 'Rated not helpful',
  firm_reject: 'Rejected',
  insufficient_consensus: 'No agreement',
  minimum_ratings_not_met: 'Too few ratings',
  needs_more_ratings: 'Needs more ratings',
  needs_your_help: 'Needs your help',
  unknown: 'Not rated yet',
};

/** The subject that each evaluator examines. */
export const EVALUATOR_NAMES = {
  UrlValidity: 'Links',
  HarassmentAbuse: 'Civility',
  ClaimOpinion: 'Claims over opinion',
} as const satisfies Record<keyof NonNullable<WrittenNoteInfo['test_result']>, string>;

/** `5 helpful · 1 not helpful`; empty without ratings. */
export function ratingText(ratings: WrittenNoteInfo['ratings'], format: Formatter): string {
  const { helpful, somewhat_helpful: somewhat, not_helpful: not } = ratings;
  const parts = [
    [helpful, 'helpful'],
    [somewhat, 'somewhat helpful'],
    [not, 'not helpful'],
  ] as const;
  return parts.flatMap(([n, name]) => (n > 0 ? `${format.count(n)} ${name}` : [])).join(' · ');
}

/** `Links high · Civility high · Claims over opinion unknown`. */
export function testText(result: NonNullable<WrittenNoteInfo['test_result']>): string {
  const names = Object.entries(EVALUATOR_NAMES) as [keyof typeof EVALUATOR_NAMES, string][];
  return names.map(([key, name]) => `${name}: ${result[key].toLowerCase()}`).join(' · ');
}
