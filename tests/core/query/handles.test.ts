import { expect, test } from 'vitest';
import { condition } from '#core/query/condition.ts';
import type { HandleOwners } from '#core/query/handles.ts';
import { match } from '#core/query/match.ts';
import { parse } from '#core/query/parse.ts';
import { termsOf } from '#core/text/terms.ts';

// The account 1 was ann and is anna; 2 took ann; 3 was bob and is bert, and nobody is bob.
const OWNERS: Readonly<Record<string, HandleOwners>> = {
  ann: { holder: '2', former: ['1'] },
  anna: { holder: '1', former: [] },
  bob: { holder: null, former: ['3'] },
  bert: { holder: '3', former: [] },
};
const POSTS = {
  'ann, 1': { username: 'ann', authorId: '1' },
  'anna, 1': { username: 'Anna', authorId: '1' },
  'ann, 2': { username: 'ANN', authorId: '2' },
  'ann, no id': { username: 'ann' },
  'bob, 3': { username: 'bob', authorId: '3' },
  'bob, 9': { username: 'bob', authorId: '9' },
  'to ann, 1': { username: 'carl', inReplyToUsername: 'ann', inReplyToUserId: '1' },
  'reposts bob, 3': { username: 'carl', repostOfUsername: 'bob', repostOfUserId: '3' },
};

test.each([
  ['from:ann', ['ann, 2', 'ann, no id']],
  ['from:Anna', ['ann, 1', 'anna, 1']],
  ['from:bob', ['bob, 9']],
  ['from:bert', ['bob, 3']],
  ['from:3', ['bob, 3']],
  ['from:carl -to:anna', ['reposts bob, 3']],
  ['to:anna', ['to ann, 1']],
  ['to:ann', []],
  ['retweets_of:bert', ['reposts bob, 3']],
  ['retweets_of:bob', []],
])('%s finds by who has the username now: %j', (query, names) => {
  const parsed = parse(query);
  if (!parsed.ok) throw new Error(query);
  const wanted = condition(parsed.ast, {
    members: () => [],
    collection: () => null,
    owners: (name) => OWNERS[name],
  });
  const found = Object.entries(POSTS).filter(([, post]) =>
    match(wanted, termsOf({ text: 'tea', ...post })),
  );
  expect(found.map(([name]) => name)).toEqual(names);
});
