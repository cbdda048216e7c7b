import * as v from 'valibot';
import { expect, it } from 'vitest';
import { CALENDARS } from '#contract/accounts/calendars.ts';
import { CONSOLE } from '#contract/ads/console.ts';
import { FEEDS } from '#contract/catalog/feeds.ts';
import { OWN_POSTS } from '#contract/counts/own-posts.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { NOTE_SETTINGS } from '#contract/notes/note-settings.ts';
import { OneShotFields } from '#contract/posts/media-requests.ts';

type Entries = Readonly<Record<string, v.GenericSchema>>;

/** The parameters of all queries, and of forms, each once by name and schema. */
const PARAMETERS = [
  ...OPERATIONS.map(({ query }) => query),
  NOTE_SETTINGS.written.query,
  OneShotFields,
].flatMap((query) => Object.entries((query as unknown as { entries?: Entries })?.entries ?? {}));

const read = (schema: v.GenericSchema, text: string): unknown => {
  const result = v.safeParse(schema, text);
  return result.success ? result.output : result.issues[0].message;
};

/** Names of the parameters that a probe finds, and whether each of them passes. */
const found = (probe: (schema: v.GenericSchema) => boolean | null) => {
  const results = PARAMETERS.map(([name, schema]) => [name, probe(schema)] as const);
  const odd = results.filter(([, passes]) => passes === false).map(([name]) => name);
  const names = new Set(results.filter(([, passes]) => passes !== null).map(([name]) => name));
  return { odd, names: [...names].sort() };
};

it('reads a boolean in any case and no other text, whatever the operation', () => {
  const { odd, names } = found((schema) => {
    if (typeof read(schema, 'true') !== 'boolean') return null;
    const others = ['yes', '1', ' true'].map((text) => read(schema, text));
    return (
      ['True', 'TRUE', 'FALSE', 'False'].map((text) => read(schema, text)).join() ===
        'true,true,false,false' &&
      others.every((message) => /\[true,false\]|a? ?boolean/.test(String(message)))
    );
  });
  expect(odd).toEqual([]);
  expect(names).toEqual([
    'automatic_tweet_promotion',
    'delete_all',
    'dry_run',
    'include_mentions_and_replies',
    'localDcOnly',
    'nullcast',
    'shared',
    'standard_delivery',
    'test',
    'test_mode',
    'trim_user',
    'with_active',
    'with_deleted',
    'with_draft',
    'with_total_count',
  ]);
});

it('reads blanks after the commas of a list, whatever the operation', () => {
  const pairs = [
    '1,2',
    'alice,bob',
    'id,text',
    'id,name',
    'start,end',
    'name,keywords',
    'BILLING,MEDIA',
  ];
  const { odd, names } = found((schema) => {
    const { wrapped = schema } = schema as { wrapped?: v.GenericSchema };
    const { values = [] } = v.getMetadata(wrapped) as { values?: readonly string[] };
    const probes = [...(values.length > 1 ? [values.slice(0, 2).join(',')] : []), ...pairs];
    const pair = probes.find((text) => Array.isArray(read(schema, text)));
    if (pair === undefined) return null;
    const plain = JSON.stringify(read(schema, pair));
    return JSON.stringify(read(schema, ` ${pair.replace(',', ' ,  ')} `)) === plain;
  });
  expect(odd).toEqual([]);
  const fields = [
    'connection',
    'community',
    'list',
    'media',
    'news',
    'note',
    'place',
    'poll',
    'post',
  ]
    .concat(['rules_count', 'search_count', 'tweet', 'usage', 'user', 'webhook_config'])
    .map((name) => `${name}.fields`);
  const others = ['additional_owners', 'campaign_ids', 'categories', 'endpoints', 'exclude'];
  expect(names).toEqual(
    expect.arrayContaining([...fields, ...others, 'expansions', 'ids', 'usernames']),
  );
});

it.each([
  [CALENDARS.events.query, 'start_time'],
  [CONSOLE.import.query, 'user'],
  [FEEDS.file.query, 'format'],
  [OWN_POSTS.query, 'usernames'],
])('names a missing parameter, and no other', (query, name) => {
  const [issue] = v.safeParse(query, {}).issues ?? [];
  expect(issue?.message).toBe(`The \`${name}\` query parameter can not be empty`);
});
