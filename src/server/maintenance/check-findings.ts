/** Who mends a fault: making the index anew, or a copy of the file or of what was imported. */
export type Mend = 'reindex' | 'restore';

/** Problems told one by one; the others are counted. */
export const SHOWN_PROBLEMS = 20;

/** What a check found wrong. */
export class Findings {
  /** The first {@link SHOWN_PROBLEMS}, in plain words. */
  readonly shown: string[] = [];
  problems = 0;
  /** Whether something is wrong that a new index does not mend. */
  needsRestore = false;
  /** Posts whose terms differ in a way that rows of older formats cannot tell right from wrong. */
  uncertain = 0;

  add(problem: string, mend: Mend = 'reindex'): void {
    this.problems += 1;
    if (mend === 'restore') this.needsRestore = true;
    if (this.shown.length < SHOWN_PROBLEMS) this.shown.push(problem);
  }
}
