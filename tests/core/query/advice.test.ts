import { expect, it } from 'vitest';
import { adviceOf } from '#core/query/advice.ts';
import { parse } from '#core/query/parse.ts';

it.each([
  ['cat NOT dog', ['cat -dog']],
  ['cat NOT "hot dog" NOT #pets', ['cat -"hot dog" NOT #pets', 'cat NOT "hot dog" -#pets']],
  ['cat (bird OR fish NOT dog)', ['cat (bird OR fish -dog)']],
  ['cat NOT (dog OR bird)', ['cat -bird -dog']],
  ['cat NOT -dog', [null]],
  ['cat NOT', [null]],
  ['NOT OR cat', [null]],
  ['cat not dog', []],
  ['cat -NOT', []],
  ['cat "NOT" dog', []],
  ['cat lang:EN -lang:und (lang:zh-TW OR lang:zh)', []],
  ['cat lang:jp', ['cat lang:ja']],
  ['cat -lang:en-GB', ['cat -lang:en']],
  ['cat (lang:id OR lang:he)', ['cat (lang:in OR lang:he)', 'cat (lang:id OR lang:iw)']],
  ['cat lang:ckk', ['cat lang:ckb']],
  ['cat lang:qx', [null]],
])('for %s the fixes are %j', (text, fixes) => {
  const parsed = parse(text, { product: 'all' });
  if (!parsed.ok) throw new Error(`expected ${text} to be valid`);
  const advice = adviceOf(parsed.ast);
  const fixed = advice.map(({ at, length, fix }) =>
    fix === undefined ? null : text.slice(0, at) + fix + text.slice(at + length),
  );
  expect(fixed).toEqual(fixes);
  for (const each of fixed)
    if (each !== null) expect(parse(each, { product: 'all' }).ok).toBe(true);
});
