import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The slowest files. In `npm run test:long`, which runs several files at once, one core would be busy and the others
 * idle if one of these ran last. `npm test` runs the files of a project one by one.
 */
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
  'browser/first-visit.test.ts',
  'browser/platform.test.ts',
  'browser/carried.test.ts',
];

/** A page test that is about the time before a part of the app is loaded; all page tests share one page. */
const BEFORE_LOADING = 'app/editor/editor.page.test.ts';

/** Files that need the corpora of real posts, whose import is still running when the run begins. */
const OVER_CORPORA = [
  'flow/truth.test.ts',
  'browser/board.test.ts',
  'browser/insight.test.ts',
  'browser/posts.test.ts',
];

/** Position of a file in the run: the lower, the earlier. */
function rank({ moduleId }: TestSpecification): number {
  const is = (name: string): boolean => moduleId.endsWith(`/tests/${name}`);
  if (is(BEFORE_LOADING)) return -1;
  if (OVER_CORPORA.some(is)) return LONGEST.length + 1;
  const at = LONGEST.findIndex(is);
  return at < 0 ? LONGEST.length : at;
}

/**
 * Starts the slowest files first, regardless of Vitest's cached durations. The files of a project stay together,
 * because a worker restarts when it changes projects.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted(
      (a, b) => a.project.name.localeCompare(b.project.name) || rank(a) - rank(b),
    );
  }
}
