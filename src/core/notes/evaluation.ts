import { INSULTS, THREATS } from './words.ts';

export type Bucket = 'High' | 'Medium' | 'Low';

/** The answers that an evaluator may give; `unknown` where it could not check a note. */
export const EVALUATION_BUCKETS = ['High', 'Medium', 'Low', 'unknown'] as const;

/** The evaluators of test notes, and their results (platform-facts-additions, section 8). */
export const EVALUATORS = ['UrlValidity', 'HarassmentAbuse', 'ClaimOpinion'] as const;
export type Evaluator = (typeof EVALUATORS)[number];

/** A bucket, or `unknown` for what could not be checked. */
export type Evaluation = Readonly<Record<Evaluator, Bucket | 'unknown'>>;

/** From these scores on, a note's claims are high and medium: two of the cut-offs that programs use (as above). */
const HIGH_CLAIM = 0;
const MEDIUM_CLAIM = -3;

/** @param score - As of `claimOpinion`. */
export function claimBucket(score: number): Bucket {
  if (score >= HIGH_CLAIM) return 'High';
  return score >= MEDIUM_CLAIM ? 'Medium' : 'Low';
}

/**
 * The bucket of a text's freedom from harassment and abuse, by rules alone: an insult is medium, several or a threat
 * are low.
 */
export function harassmentBucket(text: string): Bucket {
  const plain = text.normalize('NFC').replaceAll('\u2019', "'");
  if (plain.search(THREATS) >= 0) return 'Low';
  const insults = Array.from(plain.matchAll(INSULTS)).length;
  if (insults === 0) return 'High';
  return insults === 1 ? 'Medium' : 'Low';
}

const ORDER: readonly string[] = ['Low', 'Medium', 'unknown', 'High'];

/** The evaluator with the lowest result. */
export function weakest(of: Evaluation): Evaluator {
  return EVALUATORS.reduce((least, evaluator) =>
    ORDER.indexOf(of[evaluator]) < ORDER.indexOf(of[least]) ? evaluator : least,
  );
}

/** Test notes that decide on admission, and what they need (platform-facts-additions, section 8). */
export const ADMISSION_NOTES = 50;

export interface Admission {
  /** The number of the last test notes that count. */
  readonly notes: number;
  /** The requirements that are not met; empty if the writer qualifies. */
  readonly missing: readonly string[];
}

/**
 * True if the last test notes qualify a writer for notes that are shown. Links that could not be checked do not count, for
 * or against.
 *
 * @param evaluations - Of the newest test notes first; those after the fiftieth are ignored.
 */
export function admissionOf(evaluations: readonly Evaluation[]): Admission {
  const last = evaluations.slice(0, ADMISSION_NOTES);
  const share = (evaluator: Evaluator, bucket: Bucket): number => {
    const known = last.filter((evaluation) => evaluation[evaluator] !== 'unknown');
    return known.length === 0
      ? 1
      : known.filter((evaluation) => evaluation[evaluator] === bucket).length / known.length;
  };
  const percent = (part: number): string => `${Math.floor(part * 100)}%`;
  const missing: string[] = [];
  if (last.length < ADMISSION_NOTES) {
    return {
      notes: last.length,
      missing: [`${ADMISSION_NOTES} test notes, of which there are ${last.length}`],
    };
  }
  const high = share('ClaimOpinion', 'High');
  if (high < 0.3)
    missing.push(`at least 30% with a high ClaimOpinion, of which there are ${percent(high)}`);
  const low = share('ClaimOpinion', 'Low');
  if (low > 0.3)
    missing.push(`at most 30% with a low ClaimOpinion, of which there are ${percent(low)}`);
  const valid = share('UrlValidity', 'High');
  if (valid < 0.95)
    missing.push(`at least 95% with a high UrlValidity, of which there are ${percent(valid)}`);
  const civil = share('HarassmentAbuse', 'High');
  if (civil < 0.98)
    missing.push(`at least 98% with a high HarassmentAbuse, of which there are ${percent(civil)}`);
  return { notes: last.length, missing };
}
