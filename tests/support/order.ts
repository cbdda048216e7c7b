import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest: begun last, one of them would keep one core busy while the other has nothing to do. */
const LONG = [
  'flow/truth.test.ts',
  'server/cli/commands.test.ts',
  'server/sample/sample.test.ts',
  'server/platform/vault.test.ts',
  'server/cli/killed.test.ts',
  'server/api/import/routes.test.ts',
  'server/import/import.test.ts',
  'browser/intake.test.ts',
  'browser/sample.test.ts',
  'browser/board.test.ts',
  'browser/carried.test.ts',
];

/** Where a file stands in {@link LONG}; after them all where it does not. */
function rank({ moduleId }: TestSpecification): number {
  const at = LONG.findIndex((name) => moduleId.endsWith(`/tests/${name}`));
  return at < 0 ? LONG.length : at;
}

/** Begins with the files that take longest, whatever was measured before on this machine. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
