import { expect, test } from 'vitest';
import { loadOptions, storeOptions } from '#app/export/csv-options.ts';

const emptyStorage = (): Pick<Storage, 'getItem' | 'setItem'> => {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
  };
};

test.each([
  ['en-US', ',', false],
  ['en-GB', ',', false],
  ['de-DE', ';', true],
  ['de-CH', ',', true],
  ['pt-BR', ';', true],
  ['ja-JP', ',', true],
] as const)('a spreadsheet in %s expects %s, and a mark: %s', (locale, separator, mark) => {
  expect(loadOptions({ storage: emptyStorage(), locale })).toEqual({ separator, mark });
  expect(loadOptions({ storage: null, locale })).toEqual({ separator, mark });
});

test('a choice outlives the visit, in every locale', () => {
  for (const separator of [',', ';'] as const) {
    for (const mark of [false, true]) {
      const storage = emptyStorage();
      storeOptions({ storage }, { separator, mark });
      for (const locale of ['en-US', 'de-DE']) {
        expect(loadOptions({ storage, locale })).toEqual({ separator, mark });
      }
    }
  }
});
