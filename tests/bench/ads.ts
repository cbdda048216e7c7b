import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ListingQuery } from '#contract/ads/ads.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { openAds, type AdsStore } from '#server/ads/store.ts';
import { activeEntities } from '#server/api/ads/activity.ts';
import { entityJson } from '#server/api/ads/entity-json.ts';
import { readListing } from '#server/api/ads/listing.ts';
import { metricsOf } from '#server/api/ads/statistics.ts';
import { openDb } from '#server/db/driver.ts';
import { finish, NEVER } from '#server/index/steps.ts';
import { sealBy } from '#server/http/page-token.ts';
import { digits, fact, goal, milliseconds, shown, table, timing, type Timing } from './measure.ts';

const CAMPAIGNS = 100_000;
const NOW = Date.UTC(2026, 10, 21);
const YEAR = Date.UTC(2025, 0, 1);
const HOURS = 365 * 24;
/** Entities whose hours are generated in one transaction. */
const PART = 100;
/** Entities and days of a request for statistics. */
const ENTITIES = 20;
const DAYS = 7;

function fillCampaigns(store: AdsStore, campaigns: number): string {
  const [instrument] = store.add(
    [{ kind: 'FUNDING_INSTRUMENT', holder: 'a', parent: null, fields: { currency: 'EUR' } }],
    NOW,
  );
  const parent = instrument?.id ?? '';
  store.write('fill', () => {
    for (let i = 0; i < campaigns; i++) {
      const fields = {
        name: `Campaign ${(i * 7919) % campaigns}`,
        funding_instrument_id: parent,
        entity_status: 'ACTIVE',
        daily_budget_amount_local_micro: ((i * 104_729) % 997) * 1_000_000,
      };
      store.add([{ kind: 'CAMPAIGN', holder: 'a', parent, fields }], NOW + i);
    }
  });
  return parent;
}

/** Times every page of a listing, from the request to the text of its answer. */
async function walk(store: AdsStore, query: Omit<ListingQuery, 'count'>): Promise<Timing> {
  const seal = sealBy(Buffer.alloc(32));
  const times: number[] = [];
  const json = entityJson(store, { now: NOW, origin: '', isPosted: () => false });
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const whole = { ...query, ...(cursor !== undefined && { cursor }), count: 200 };
    const asked = { kind: 'CAMPAIGN', holder: 'a', texts: {}, query: whole } as const;
    const read = () => readListing(store, asked, seal);
    times.push(await milliseconds(() => JSON.stringify(read().entities.map(json))));
    cursor = read().next;
  }
  return timing(times);
}

/** Generates a year of hours: faster in the database than through the program. */
function fillFigures(file: string, entities: number): void {
  const db = openDb(file, { flushed: false });
  const figures = db.prepare(
    `INSERT INTO figure (entity, placement, start, minutes, impressions, engagements, clicks, likes, replies,
      billed_engagements, billed_charge_local_micro, video_total_views)
    WITH RECURSIVE e (n) AS (SELECT ? UNION ALL SELECT n + 1 FROM e WHERE n < ?),
      h (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM h WHERE n < ${HOURS - 1})
    SELECT e.n, 0, ${YEAR / MINUTE_MS} + h.n * 60, 60, h.n * 37 % 5000, h.n % 300, h.n % 90, h.n % 40, h.n % 9,
      h.n % 100, h.n * 10000, h.n % 77 FROM e CROSS JOIN h`,
  );
  for (let from = 1; from <= entities; from += PART) {
    db.write('fill', () => figures.run([from, Math.min(from + PART - 1, entities)]));
  }
  db.write('fill', () =>
    db
      .prepare(
        `INSERT INTO activity SELECT seq, 0, ?, ?, holder, kind FROM entity WHERE seq <= ? AND kind = 'CAMPAIGN'`,
      )
      .run([YEAR / MINUTE_MS, YEAR / MINUTE_MS + HOURS * 60, entities]),
  );
  db.close();
}

/** Times statistics of entities and weeks that are far apart, from a year of hours. @param step - Length of a bucket, ms. */
async function statistics(
  store: AdsStore,
  entities: number,
  rounds: number,
  step: number,
): Promise<Timing> {
  const times: number[] = [];
  const length = (DAYS * DAY_MS) / step;
  for (let round = 0; round < rounds; round++) {
    const start = YEAR + 8 * HOUR_MS + ((round * 11) % 350) * DAY_MS;
    const buckets = Array.from({ length }, (_, i) => ({
      start: start + i * step,
      end: start + (i + 1) * step,
    }));
    const [some] = store.page(
      { kind: 'CAMPAIGN', holder: 'a', withDeleted: false, withDraft: false },
      { by: [], after: null },
      1,
    );
    if (!some) throw new Error('expected a campaign, got none');
    const asked = {
      groups: ['ENGAGEMENT', 'BILLING'],
      placement: 'ALL_ON_TWITTER',
      buckets,
      now: NOW,
    } as const;
    times.push(
      await milliseconds(() =>
        Array.from({ length: ENTITIES }, (_, i) => {
          // The first entity is the funding instrument.
          const seq = 2 + ((round * 7919 + i * 104_729) % (entities - 1));
          return JSON.stringify(
            finish(metricsOf(store, 'a', null, { ...some.entity, seq }, asked, NEVER)),
          );
        }),
      ),
    );
  }
  return timing(times);
}

/**
 * Times pages of 100,000 campaigns, in several orders, and DAY statistics from a year of hourly figures.
 *
 * @param entities - The number of entities that have figures.
 */
export async function benchAds(folder: string, entities: number, rounds: number): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'ads.sqlite');
  const store = openAds(file);
  const parent = fillCampaigns(store, CAMPAIGNS);
  const orders: readonly (readonly [string, Omit<ListingQuery, 'count'>])[] = [
    ['in order of creation', {}],
    ['by name', { sort_by: ['name-asc'] }],
    ['by daily budget, descending', { sort_by: ['daily_budget_amount_local_micro-desc'] }],
    ['of a funding instrument', { funding_instrument_ids: [parent] }],
  ];
  const pages = [];
  for (const [name, query] of orders) pages.push([name, await walk(store, query)] as const);
  table(`pages of 200 of ${digits(CAMPAIGNS)} campaigns, ms`, [
    ['order', 'median (min–max)'],
    ...pages.map(([name, time]) => [name, shown(time)]),
  ]);
  for (const [name, { median }] of pages) goal(`a page ${name}`, median, '≤', 5, ' ms');
  fillFigures(file, entities);
  for (const [name, step] of [
    ['DAY', DAY_MS],
    ['HOUR', HOUR_MS],
  ] as const) {
    const time = await statistics(store, entities, rounds, step);
    fact(
      `${name} statistics of ${ENTITIES} of ${digits(entities)} entities over ${DAYS} days: ${shown(time)} ms`,
    );
    goal(`${name} statistics`, time.median, '≤', 20, ' ms');
  }
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = YEAR + ((round * 11) % 350) * DAY_MS;
    const span = { start, end: start + DAYS * DAY_MS };
    times.push(await milliseconds(() => activeEntities(store, 'a', 'CAMPAIGN', span)));
  }
  const active = timing(times);
  fact(`active entities, of ${digits(entities)} with a year of hours: ${shown(active)} ms`);
  goal('active entities', active.median, '≤', 50, ' ms');
  store.close();
}
