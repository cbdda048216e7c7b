import fc from 'fast-check';
import { STATE, STATES } from '#core/series/series.ts';
import { HOUR_MS } from '#core/time/span.ts';
import { unicodeText } from '#tests/support/data/unicode-text.ts';

/** Texts that a file could take for its own signs. */
export const nasty = fc.oneof(
  unicodeText(),
  fc.string({
    unit: fc.constantFrom(
      '"',
      ';',
      ',',
      '\\',
      '\r',
      '\n',
      '\t',
      '|',
      '\0',
      "'",
      '=',
      '＝',
      ' ',
      'é',
      '; ',
    ),
  }),
  fc.constantFrom('=1+1', "'", '', '\uFEFFx', 'query', 'incomplete', 'date', 'time', 'a; b', '-'),
);
const amount = fc.oneof(
  fc.constant(Number.NaN),
  fc.maxSafeNat(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
);
/** Jobs of both forms with hostile texts, missing counts and every state, in zones with odd offsets. */
export const exportJobs = fc
  .record({
    form: fc.constantFrom('long' as const, 'wide' as const),
    separator: fc.constantFrom(',' as const, ';' as const),
    mark: fc.boolean(),
    timed: fc.boolean(),
    widths: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 6 }),
    list: fc.array(fc.record({ query: nasty, label: nasty, source: nasty }), {
      minLength: 1,
      maxLength: 4,
    }),
    zone: fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/St_Johns', 'Australia/Lord_Howe'),
  })
  .chain(({ widths, list, ...rest }) => {
    const bounds = [Date.UTC(2024, 3, 6, 3)];
    for (const width of widths) bounds.push((bounds.at(-1) ?? 0) + width * HOUR_MS);
    const n = widths.length;
    const each = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
      fc.array(one, { minLength: n, maxLength: n });
    return fc
      .tuple(
        ...list.map(() =>
          fc.tuple(
            each(amount),
            each(fc.nat(STATES.length - 1)),
            each(fc.option(fc.integer({ min: 0, max: 4e12 }), { nil: Number.NaN })),
          ),
        ),
      )
      .map((columns) => ({
        ...rest,
        bounds: Float64Array.from(bounds),
        series: list.map((one, i) => ({
          ...one,
          counts: Float64Array.from(columns[i]?.[0] ?? [], (count, n) =>
            columns[i]?.[1]?.[n] === STATE.uncovered ? Number.NaN : count,
          ),
          states: Uint8Array.from(columns[i]?.[1] ?? []),
          fetchedAt: Float64Array.from(columns[i]?.[2] ?? []),
        })),
      }));
  });
