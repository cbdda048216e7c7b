import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { dateSurvey, readStamp, type DateOrder } from '#core/import/stamp.ts';

/** Epoch ms of a time that is written with its offset, else as if it were UTC. */
const at = (iso: string): number => Date.parse(iso);

const TIMES: readonly [text: string, order: DateOrder | null, iso: string | null][] = [
  ['2024-03-04T05:06:07Z', null, '2024-03-04T05:06:07Z'],
  ['2024-03-04T05:06:07.250+02:00', null, '2024-03-04T03:06:07.250Z'],
  ['2024-03-04 05:06:07.0', null, '2024-03-04T05:06:07Z'],
  ['2024-03-04 05:06 +0000', null, '2024-03-04T05:06:00Z'],
  ['2024/3/4 5:06', null, '2024-03-04T05:06:00Z'],
  ['2024-03-04', null, '2024-03-04T00:00:00Z'],
  ['1709528767', null, '2024-03-04T05:06:07Z'],
  ['1709528767000', null, '2024-03-04T05:06:07Z'],
  ['Mon Mar 04 05:06:07 +0000 2024', null, '2024-03-04T05:06:07Z'],
  ['04/03/2024 05:06', 'DMY', '2024-03-04T05:06:00Z'],
  ['03/04/2024 05:06', 'MDY', '2024-03-04T05:06:00Z'],
  ['03/04/2024 05:06', null, null],
  ['3/4/24, 5:06 PM', 'MDY', '2024-03-04T17:06:00Z'],
  ['3/4/2024 12:06 a.m.', 'MDY', '2024-03-04T00:06:00Z'],
  ['3/4/2024 12:06\u202fPM', 'MDY', '2024-03-04T12:06:00Z'],
  ['13/04/2024', 'MDY', null],
  ['04.03.2024 05:06', null, '2024-03-04T05:06:00Z'],
  ['04-03-2024 05:06:07', 'DMY', '2024-03-04T05:06:07Z'],
  ['15-Nov-2022 09:05AM', null, '2022-11-15T09:05:00Z'],
  ['4 March 2024 17:06', null, '2024-03-04T17:06:00Z'],
  ['March 4th, 2024 at 5:06 PM', null, '2024-03-04T17:06:00Z'],
  ['Sun, Mar 8, 2026', null, '2026-03-08T00:00:00Z'],
  ['Mon, 04 Mar 2024 05:06:07 GMT', null, '2024-03-04T05:06:07Z'],
  ['2024年3月4日 5時06分', null, '2024-03-04T05:06:00Z'],
  ['2024年03月04日 05:06:07', null, '2024-03-04T05:06:07Z'],
  ['2024年3月4日(月) 5:06', null, '2024-03-04T05:06:00Z'],
  ['2024年3月4日', null, '2024-03-04T00:00:00Z'],
  ['2024年13月4日', null, null],
  ['4. März 2024, 17:06', null, '2024-03-04T17:06:00Z'],
  ['Mo., 4. Dez. 2023 um 17:06 Uhr', null, '2023-12-04T17:06:00Z'],
  ['4 févr. 2024 à 17:06', null, '2024-02-04T17:06:00Z'],
  ['4 de octubre de 2024', null, '2024-10-04T00:00:00Z'],
  ['4 października 2024 17:06:07', null, '2024-10-04T17:06:07Z'],
  ['31 février 2024', null, null],
  ['4 Quux 2024', null, null],
  ['2024-02-30', null, null],
  ['2024-03-04 24:00', null, null],
  ['3/4/2024 13:06 PM', 'MDY', null],
  ['March 2024', null, null],
  ['12345', null, null],
  ['soon', null, null],
];

describe('a time as files write it', () => {
  test.each(TIMES)('%s read %s is %s', (text, order, iso) => {
    expect(readStamp(text, order)?.at ?? null).toBe(iso === null ? null : at(iso));
  });

  it('says whether it states an offset, and whether it has a time of day', () => {
    expect(readStamp('2024-03-04 05:06', null)).toMatchObject({ isExact: false, isDay: false });
    expect(readStamp('2024-03-04 05:06 UTC', null)).toMatchObject({ isExact: true, isDay: false });
    expect(readStamp('Mar 4, 2024', null)).toMatchObject({ isExact: false, isDay: true });
  });

  it('shows its order only where one number can be no month', () => {
    const of = (...texts: string[]) => {
      const survey = dateSurvey();
      for (const text of texts) survey.add(text);
      return [survey.order(), survey.isNeeded(), survey.ambiguous()];
    };
    expect(of('13/4/2024', '4/3/2024')).toEqual(['DMY', true, '4/3/2024']);
    expect(of('4/13/2024')).toEqual(['MDY', true, null]);
    expect(of('4/13/2024', '13/4/2024')).toEqual([null, true, null]);
    expect(of('13.4.2024', '2024-04-13')).toEqual([null, false, null]);
  });

  it('in any form that is written from an instant is that instant', () => {
    const instants = fc.date({
      min: new Date('2006-03-21T00:00:00Z'),
      max: new Date('2099-12-31T23:59:59Z'),
      noInvalidDate: true,
    });
    const seconds = instants.map((date) => Math.floor(date.getTime() / 1000) * 1000);
    fc.assert(
      fc.property(seconds, fc.constantFrom<DateOrder>('DMY', 'MDY'), (instant, order) => {
        const [, y = '', m = '', d = '', clock = ''] =
          /^(\d+)-(\d+)-(\d+)T(.{8})/.exec(new Date(instant).toISOString()) ?? [];
        const first = order === 'DMY' ? `${d}/${m}` : `${m}/${d}`;
        const forms = [
          `${y}-${m}-${d} ${clock}`,
          `${first}/${y} ${clock}`,
          `${d}.${m}.${y}, ${clock}`,
        ];
        for (const text of forms) expect(readStamp(text, order)?.at).toBe(instant);
        expect(readStamp(new Date(instant).toUTCString(), order)?.at).toBe(instant);
      }),
    );
  });
});
