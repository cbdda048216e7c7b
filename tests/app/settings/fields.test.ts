import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { CAP_FIELDS, readTexts, TERM_FIELDS, textsOf } from '#app/settings/fields.ts';
import { PlatformSettings } from '#contract/counts/platform.ts';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/counts/platform-terms.ts';

const TERMS = Object.values(TERM_FIELDS).flat();
const CAPS = Object.values(CAP_FIELDS).flat();
const DEFAULTS = DEFAULT_PLATFORM_SETTINGS;

/** The error of one typed text; all other fields have the default values. */
function wrongOf(path: string, text: string): string | undefined {
  const texts = { ...textsOf([...TERMS, ...CAPS], DEFAULTS, '.'), [path]: text };
  return (readTexts([...TERMS, ...CAPS], texts, DEFAULTS, '.').wrong as Record<string, string>)[
    path
  ];
}

describe('the fields of the settings', () => {
  it('cover every number of the settings once', () => {
    const paths = (tree: object, at = ''): string[] =>
      Object.entries(tree).flatMap(([key, value]) =>
        value instanceof Object ? paths(value as object, `${at}${key}.`) : [`${at}${key}`],
      );
    const fields = [...TERMS, ...CAPS].map(({ path }) => path);
    expect([...fields, 'access'].sort()).toEqual(paths(DEFAULTS).sort());
  });

  it('show numbers in the units in which they are typed, and no cap as an empty field', () => {
    const texts = textsOf([...TERMS, ...CAPS], DEFAULTS, ',');
    expect(texts).toMatchObject({
      'prices.recent': '0,005',
      'limits.all.windowSeconds': '15',
      archiveSpacingMs: '1',
      'caps.day.money': '25',
      'caps.day.requests': '',
    });
  });

  it('parse what they show back to the same settings', () => {
    const pool = fc.record({
      requests: fc.integer({ min: 1, max: 100_000 }),
      windowSeconds: fc.integer({ min: 1, max: 86_400 }),
    });
    const price = fc.integer({ min: 0, max: 10_000_000 }).map((n) => n / 10_000);
    const cap = fc.record({
      requests: fc.option(fc.integer({ min: 0, max: 100_000_000 })),
      money: fc.option(price),
    });
    const settings: fc.Arbitrary<PlatformSettings> = fc.record({
      access: fc.constantFrom('self-service', 'pay-per-use', 'enterprise'),
      prices: fc.record({ recent: price, all: price, post: price, user: price }),
      limits: fc.record({ recent: pool, all: pool }),
      archiveSpacingMs: fc.integer({ min: 0, max: 60_000 }),
      settleHours: fc.integer({ min: 1, max: 336 }),
      caps: fc.record({ day: cap, month: cap }),
    });
    fc.assert(
      fc.property(settings, fc.constantFrom('.', ','), (one, decimal) => {
        expect(v.safeParse(PlatformSettings, one).success).toBe(true);
        const fields = [...TERMS, ...CAPS];
        const base = { ...DEFAULTS, access: one.access };
        const read = readTexts(fields, textsOf(fields, one, decimal), base, decimal);
        expect(read).toEqual({ order: one, wrong: {} });
      }),
    );
  });

  it.each([
    ['prices.recent', '', 'Enter a number.'],
    ['prices.recent', '-1', 'Enter a number like 0.5 or 25.'],
    ['prices.all', '2000000', 'At most 1000000 USD.'],
    ['limits.all.requests', '0', 'At least 1 requests.'],
    ['limits.all.requests', '1.5', 'Whole requests only.'],
    ['limits.recent.windowSeconds', '0', 'At least 0.017 minutes.'],
    ['archiveSpacingMs', '61', 'At most 60 seconds.'],
    ['archiveSpacingMs', '0.0005', 'At most three digits after the decimal sign.'],
    ['settleHours', '0', 'At least 1 hours.'],
    ['settleHours', '337', 'At most 336 hours.'],
    ['caps.month.requests', '0.5', 'Whole requests only.'],
  ])('reject %s typed as %j: %s', (path, text, wrong) => {
    expect(wrongOf(path, text)).toBe(wrong);
  });

  it.each([
    ['caps.day.money', ''],
    ['caps.day.requests', ' '],
    ['caps.day.money', '0'],
    ['archiveSpacingMs', '0.25'],
    ['limits.recent.windowSeconds', '0.5'],
  ])('accept %s typed as %j', (path, text) => {
    expect(wrongOf(path, text)).toBeUndefined();
  });
});
