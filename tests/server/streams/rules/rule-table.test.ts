import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openService, type Service } from '#server/auth/store.ts';
import type { RuleChange } from '#server/streams/rules/rule-table.ts';
import { freshFolder } from '#tests/server/db/folder.ts';

const OF = { stream: 'posts', app: '1' } as const;
const AT = { firstId: 100n, now: 5 };
const rule = (value: string) => ({ value, tag: null });

const file = freshFolder();
let service: Service;
beforeEach(() => {
  service = openService(file('service.sqlite'), { random: (n) => randomBytes(n) });
});
afterEach(() => service.close());

it('gives ids that increase, whatever the clock does', () => {
  const { rules } = service;
  const ids = [100n, 90n, 200n].flatMap(
    (firstId, i) =>
      rules.change(OF, { add: [rule(`a${i}`), rule(`b${i}`)] }, { firstId, now: 0 }).added,
  );
  expect(ids.map(({ id }) => id)).toEqual(['100', '101', '102', '103', '200', '201']);
});

it('calls listeners after a change with what it did, and not where it did nothing', () => {
  const { rules } = service;
  const seen: RuleChange[] = [];
  const stop = rules.onRules((change) => {
    // The change is stored.
    expect(rules.count(change)).toBe(1 + seen.length);
    seen.push(change);
  });
  rules.change(OF, { add: [rule('cat')] }, AT);
  rules.change(OF, { add: [rule('dog'), rule('cow')], remove: ['100', '7'] }, AT);
  rules.change(OF, { remove: ['7'] }, AT);
  stop();
  rules.change(OF, { remove: ['101'] }, AT);
  expect(seen).toMatchObject([
    { ...OF, added: [{ id: '100', value: 'cat' }], removed: [] },
    { ...OF, added: [{ value: 'dog' }, { value: 'cow' }], removed: ['100'] },
  ]);
});

it('removes the rules of an app with it', () => {
  const { rules, apps } = service;
  const { id: _, ...first } = apps.all()[0]!;
  apps.add({ ...first, id: '2', name: 'Other', apiKey: 'k', clientId: 'c' });
  rules.change({ stream: 'posts', app: '2' }, { add: [rule('cat')] }, AT);
  rules.change({ stream: 'sample', app: '2' }, { add: [rule('cat')] }, AT);
  rules.change(OF, { add: [rule('dog')] }, AT);
  const seen: RuleChange[] = [];
  rules.onRules((change) => void seen.push(change));
  service.powerRules.change({ stream: 'posts', app: '2' }, { add: [rule('cow')] }, AT);
  apps.remove('2');
  expect(service.powerRules.all('posts')).toEqual([]);
  expect(seen).toMatchObject([
    { stream: 'posts', app: '2', removed: ['100'] },
    { stream: 'sample', app: '2', removed: ['101'] },
  ]);
  expect([...rules.all('posts'), ...rules.all('sample')]).toMatchObject([
    { app: '1', value: 'dog' },
  ]);
});

it('finds and removes nothing by an id above the highest', () => {
  const { rules } = service;
  rules.change(OF, { add: [rule('cat')] }, AT);
  const id = '9999999999999999999';
  expect(rules.find(OF, { id })).toBeNull();
  expect(rules.page(OF, BigInt(id), 10)).toEqual([]);
  expect(rules.change(OF, { remove: [id] }, AT).removed).toEqual([]);
});

it('keeps the kinds apart, with different ids and listeners of their own', () => {
  const { rules, powerRules } = service;
  const seen: RuleChange[] = [];
  powerRules.onRules((change) => void seen.push(change));
  rules.change(OF, { add: [rule('cat')] }, AT);
  powerRules.change(OF, { add: [rule('cat')] }, AT);
  expect(seen).toMatchObject([{ added: [{ id: '101', value: 'cat' }] }]);
  expect(powerRules.find(OF, { id: '100' })).toBeNull();
  expect(powerRules.change(OF, { remove: ['100'] }, AT).removed).toEqual([]);
  expect(rules.all('posts')).toMatchObject([{ id: '100' }]);
  for (const of of [rules, powerRules])
    expect([of.count(OF), of.counts()[0]?.count]).toEqual([1, 1]);
});

it('counts the rules of each owner that has any', () => {
  const { rules } = service;
  rules.change(OF, { add: [rule('cat'), rule('dog')] }, AT);
  rules.change({ stream: 'sample', app: '1' }, { add: [rule('cat')] }, AT);
  expect(rules.counts()).toEqual([
    { ...OF, count: 2 },
    { stream: 'sample', app: '1', count: 1 },
  ]);
});
