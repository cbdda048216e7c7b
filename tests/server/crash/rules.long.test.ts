import { randomBytes as random } from 'node:crypto';
import { expect, it } from 'vitest';
import { openService } from '#server/auth/store.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import type { RulesJob } from './rules-child.ts';
import { runChild } from './child-process.ts';

const file = temporaryFolder();
const rule = (value: string) => ({ value, tag: null });

const inProcess = (job: RulesJob) => runChild('rules-child', job);

function valuesIn(name: string): string[] {
  const service = openService(file(name), { random });
  const found = service.rules.all('posts').map(({ value }) => value);
  service.close();
  return found;
}

it.each([
  ['begin', false],
  ['commit', false],
  ['done', true],
  [null, true],
] as const)('a change of rules that is killed at %s is whole or absent', async (at, isMade) => {
  const name = `rules-${at}`;
  const kill = at && { step: 'rules', at };
  const service = openService(file(name), { random });
  const of = { stream: 'posts', app: '1' } as const;
  const add = [rule('cat'), rule('dog')];
  const [cat] = service.rules.change(of, { add }, { firstId: 1n, now: 0 }).added;
  service.close();
  const job = { add: [rule('cow'), rule('fox')], remove: [cat?.id ?? ''], kill };
  const outcome = await inProcess({ file: file(name), ...job });
  expect(outcome).toEqual(
    kill === null ? { signal: null, done: ['done'] } : { signal: 'SIGKILL', done: [] },
  );
  expect(valuesIn(name)).toEqual(isMade ? ['dog', 'cow', 'fox'] : ['cat', 'dog']);
});
