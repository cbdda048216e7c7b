import { describe, expect, it } from 'vitest';
import CampaignFigures from '#app/events/CampaignFigures.svelte';
import { NEW_CAMPAIGN } from '#app/events/board-events.svelte.ts';
import type { Campaign } from '#app/counts/cache/saved-board.ts';
import { Formatter } from '#app/format/formatter.ts';
import { DAY_MS } from '#core/time/span.ts';
import { localDayAfter, localDayStart, zoneTable } from '#core/time/zone.ts';
import { mounted } from '#tests/support/browser/mounted.ts';

/** Days of a zone from a date on, with a click each. */
function daysOf(zone: string, [year, month, day]: readonly [number, number, number]) {
  const around = Date.UTC(year, month - 1, day);
  const table = zoneTable(zone, { start: around - 3 * DAY_MS, end: around + 9 * DAY_MS });
  const first = localDayStart(table, { year, month, day });
  return [0, 1, 2].map((n) => ({
    start: localDayAfter(table, first, n),
    spend: null,
    impressions: null,
    clicks: n + 1,
  }));
}

function headingsOf(campaign: Pick<Campaign, 'days' | 'ad'>, zone: string): string[] {
  const { target } = mounted(CampaignFigures, {
    campaign: { ...NEW_CAMPAIGN, ...campaign },
    dates: '',
    format: new Formatter('en-GB', zone),
  });
  const cells = target.querySelectorAll('thead th:first-child, tbody th');
  return [...cells].map((cell) => cell.textContent.trim());
}

const ZONES = [
  'UTC',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Pacific/Auckland',
  'Asia/Kathmandu',
  'America/Santiago',
  'Europe/Berlin',
];

describe('the figures of a campaign by day', () => {
  it.each(ZONES)(
    'have the dates of an ad account in %s, in every zone of the board',
    async (of) => {
      const ad = { account: 'a1', campaign: 'c1', zone: of };
      // Clocks change in Berlin, in Santiago at midnight, and in Auckland.
      for (const [date, texts] of [
        [
          [2025, 10, 25],
          ['25 Oct 2025', '26 Oct 2025', '27 Oct 2025'],
        ],
        [
          [2025, 9, 6],
          ['6 Sept 2025', '7 Sept 2025', '8 Sept 2025'],
        ],
        [
          [2025, 4, 5],
          ['5 Apr 2025', '6 Apr 2025', '7 Apr 2025'],
        ],
      ] as const) {
        const days = daysOf(of, date);
        for (const zone of ZONES) {
          const [heading, ...shown] = headingsOf({ days, ad }, zone);
          expect(shown).toEqual(texts);
          expect(heading === 'Day').toBe(zone === of);
        }
        // Of a campaign without an ad account, whose days are those of the board.
        expect(headingsOf({ days }, of)).toEqual(['Day', ...texts]);
      }
    },
  );
});
