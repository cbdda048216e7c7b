import { DAY_MS } from '#core/time/span.ts';

/** The verdicts of a rating on a note. */
export const RATINGS = ['helpful', 'somewhat_helpful', 'not_helpful'] as const;
export type Rating = (typeof RATINGS)[number];
/** The number of ratings of each kind that a note has. */
export type Ratings = Readonly<Record<Rating, number>>;

/** Statuses of a note (platform-openapi, NoteRatingStatus), and that of one without a rating (platform-facts-additions, section 8). */
export const STATUSES = [
  'currently_rated_helpful',
  'currently_rated_not_helpful',
  'firm_reject',
  'insufficient_consensus',
  'minimum_ratings_not_met',
  'needs_more_ratings',
  'needs_your_help',
  'unknown',
] as const;
export type NoteStatus = (typeof STATUSES)[number];

/** Fewest ratings that decide. */
const LEAST = 5;
/** From so many ratings on, what they say is final. */
const MANY = 20;
/** Time in which a note has to get the fewest ratings. */
const RATED_WITHIN = 14 * DAY_MS;
/** Mean ratings, from 0 to 1, of notes that are helpful, not helpful and rejected. */
const HELPFUL = 0.7;
const NOT_HELPFUL = 0.3;
const REJECTED = 0.1;

/**
 * The status of a note by the mean of its ratings, where a helpful one counts 1 and a somewhat helpful one 0.5. The
 * platform also weighs the viewpoints of raters, which nothing here knows: `docs/notes.md` has the table.
 *
 * @param age - Since the note was written, ms.
 */
export function statusOf(ratings: Ratings, age: number): NoteStatus {
  const { helpful, somewhat_helpful: somewhat, not_helpful: not } = ratings;
  const count = helpful + somewhat + not;
  if (count === 0) return 'unknown';
  if (count < LEAST) return age >= RATED_WITHIN ? 'minimum_ratings_not_met' : 'needs_more_ratings';
  const mean = (helpful + somewhat / 2) / count;
  if (mean >= HELPFUL) return 'currently_rated_helpful';
  if (mean <= REJECTED && count >= MANY) return 'firm_reject';
  if (mean <= NOT_HELPFUL) return 'currently_rated_not_helpful';
  return count < MANY ? 'needs_your_help' : 'insufficient_consensus';
}
