/** The campaign's own Posts in a control. */
export interface Contamination {
  /** Their part of the control's Posts in the window, 0 to 1. */
  readonly share: number;
  readonly verdict: 'clean' | 'warned' | 'refused';
}

/** Above these shares a control is warned of, and refused: it would hide a part of the lift. */
const WARNED = 0.02;
const REFUSED = 0.1;

/**
 * Judges a control by its exact counts in the campaign's window.
 *
 * @param tagged - Its Posts that carry the tag or the address of the campaign.
 * @param posts - All of its Posts.
 * @throws {RangeError} unless both are whole, not negative, and the first is no more than the second.
 */
export function contaminationOf(tagged: number, posts: number): Contamination {
  if (!(Number.isInteger(tagged) && Number.isInteger(posts) && tagged >= 0 && tagged <= posts)) {
    throw new RangeError(`expected a part of whole Posts, got ${tagged} of ${posts}`);
  }
  const share = posts === 0 ? 0 : tagged / posts;
  const verdict = share > REFUSED ? 'refused' : share > WARNED ? 'warned' : 'clean';
  return { share, verdict };
}
