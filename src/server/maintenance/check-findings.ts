/** The means to fix a fault: rebuilding the index, or a copy of the file or of the imported data. */
export type Repair = 'reindex' | 'restore';

/** Number of problems that are described; the others are only counted. */
export const SHOWN_PROBLEMS = 20;

/** The results of a check. */
export class Findings {
  /** The first {@link SHOWN_PROBLEMS}, in plain words. */
  readonly shown: string[] = [];
  problems = 0;
  /** True if something is wrong that rebuilding the index does not fix. */
  needsRestore = false;
  /** Posts whose terms differ, but whose rows are of older formats that cannot show which is right. */
  uncertain = 0;

  add(problem: string, repair: Repair = 'reindex'): void {
    this.problems += 1;
    if (repair === 'restore') this.needsRestore = true;
    if (this.shown.length < SHOWN_PROBLEMS) this.shown.push(problem);
  }
}
