import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest. Begun last, one of them would keep one core busy while the other has nothing to do. */
const LONGEST = [
  'server/cli/killed.test.ts',
  'server/cli/commands.test.ts',
  'flow/counts-look.test.ts',
  'server/sample/sample.test.ts',
  'server/platform/vault.test.ts',
  'server/crash/kill.test.ts',
  'server/maintenance/check.test.ts',
  'server/import/import.test.ts',
  'server/api/import/routes.test.ts',
  'browser/intake.test.ts',
  'browser/platform.test.ts',
  'browser/carried.test.ts',
];

/** Files over the corpora of real posts, whose import goes on when the run begins. */
const OVER_CORPORA = [
  'flow/truth.test.ts',
  'browser/board.test.ts',
  'browser/insight.test.ts',
  'browser/posts.test.ts',
];

/** When a file begins: the lower, the earlier. */
function rank({ moduleId }: TestSpecification): number {
  const is = (name: string): boolean => moduleId.endsWith(`/tests/${name}`);
  if (OVER_CORPORA.some(is)) return LONGEST.length + 1;
  const at = LONGEST.findIndex(is);
  return at < 0 ? LONGEST.length : at;
}

/**
 * Begins with the files that take longest, whatever was measured before on this machine. Projects stay together, as a
 * worker that goes from one to another begins again.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted(
      (a, b) => a.project.name.localeCompare(b.project.name) || rank(a) - rank(b),
    );
  }
}
