import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { SeriesRun } from '#app/counts/fetch/series-run.svelte.ts';
import { csvBlocks } from '#core/export/csv.ts';
import { edgesOf, rowsOf, viewOf, type LayoutNeed } from '#core/series/bucket-layout.ts';
import type { Curve } from '#core/series/series.ts';
import { isTimed, RESOLUTIONS } from '#core/time/resolution.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { openCounter } from '#server/counting/counter.ts';
import { countingBytes } from '#tests/server/db/folder.ts';
import { buy, openPaid } from '#tests/support/data/bought.ts';
import { command } from '#tests/support/service/command.ts';
import { openDashboard } from '#tests/support/browser/dashboard.ts';
import { FakeTime } from '#tests/support/fake-time.ts';
import { runs } from '#tests/support/run/runs.ts';
import { startService, type TestService } from '#tests/support/service/service.ts';
import { NOW, POSTS, truth } from '#tests/support/data/storms.ts';

let service: TestService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

/** The bytes of a CSV without when it was counted. */
function bytesOf(
  series: { counts: Curve['counts']; states: Uint8Array },
  { span, zone, resolution }: LayoutNeed,
  bounds: Float64Array,
  form: 'long' | 'wide',
): string {
  const size = bounds.length - 1;
  const job = {
    form,
    separator: ',' as const,
    mark: false,
    timed: isTimed(resolution),
    bounds,
    series: [
      {
        ...series,
        query: 'storm',
        label: 'storm',
        source: 'posts',
        fetchedAt: new Float64Array(size).fill(NaN),
      },
    ],
  };
  const table = zoneTable(zone, { start: bounds[0] ?? span.start, end: bounds.at(-1) ?? span.end });
  let text = '';
  for (const { bytes } of csvBlocks(job, table)) text += new TextDecoder().decode(bytes);
  return text;
}

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe'];

/** Views around the ends of the data and of summer time, and around now. */
const needs = fc
  .record({
    end: fc.constantFrom(
      NOW + 2 * DAY_MS,
      NOW,
      NOW - 90 * MINUTE_MS,
      Date.UTC(2026, 10, 2, 3),
      Date.UTC(2026, 3, 5),
      Date.UTC(2024, 0, 9, 13, 17),
    ),
    length: fc.constantFrom(HOUR_MS, 7 * HOUR_MS, 2 * DAY_MS, 9 * DAY_MS, 100 * DAY_MS),
    shift: fc.integer({ min: -90, max: 30 }),
    resolution: fc.constantFrom(...RESOLUTIONS),
    zone: fc.constantFrom(...ZONES),
    weekStart: fc.constantFrom(1 as const, 7 as const),
  })
  .filter(({ resolution, length }) => resolution !== 'minute' || length <= 2 * DAY_MS)
  .map(({ end, length, shift, ...need }) => ({
    ...need,
    span: { start: end - length + shift * MINUTE_MS, end },
    exact: true,
  }));

describe('the counter', () => {
  test('gives what the dashboard shows, to the byte of the file, up to now and up to the newest import', async () => {
    const forms = fc.constantFrom('long' as const, 'wide' as const);
    await fc.assert(
      fc.asyncProperty(needs, forms, fc.boolean(), async (need, form, posted) => {
        const time = new FakeTime(NOW);
        const now = (): number => time.now;
        service = startService({ posts: POSTS, posted, copied: true, now });
        const tab = openDashboard(service, { time });
        const run = tab.run();
        const iso = (at: number): string => new Date(at).toISOString();
        const { span, ...rest } = need;
        const wanted = { from: iso(span.start), to: iso(span.end), ...rest };
        await run.ask(await tab.need(wanted));
        expect(run.fault).toBeNull();
        const counter = openCounter(
          { posts: join(service.folder, 'posts.sqlite'), sample: '' },
          { now, elapsed: () => 0, random: countingBytes() },
        );
        const layout = { ...need, policy: { terms: null } };
        const edges = edgesOf(layout);
        const { granularity, cut } = viewOf(layout);
        const question = { source: 'posts', query: 'storm', bounds: edges.all } as const;
        const { signal } = new AbortController();
        const counted = await counter.count({ ...question, granularity, cut }, signal);
        counter.close();
        await service.close();
        service = undefined;
        if (!counted || !run.curve) throw new Error('expected counts');
        const { from, to } = rowsOf(edges, span, now());
        const [bounds, given] = [edges.all.slice(from, to + 1), run.curve];
        const cutTo = ({ counts, states }: { counts: Curve['counts']; states: Uint8Array }) => ({
          counts: counts.slice(from, to),
          states: states.slice(from, to),
        });
        expect(bytesOf(cutTo(counted), need, bounds, form)).toBe(
          bytesOf(cutTo(given), need, bounds, form),
        );
      }),
      { numRuns: runs(60) },
    );
  });

  test('counts the Posts of every bucket, on days of 23 and 25 hours and on half hours', async () => {
    service = startService({ posts: POSTS, posted: true, copied: true, now: () => NOW });
    const counter = openCounter(
      { posts: join(service.folder, 'posts.sqlite'), sample: '' },
      { now: () => NOW, elapsed: () => 0, random: countingBytes() },
    );
    for (const zone of ZONES) {
      const span = { start: Date.UTC(2026, 2, 1), end: Date.UTC(2026, 10, 15) };
      const bounds = edgesOf({ span, resolution: 'day', zone, weekStart: 1 }).all;
      const question = { source: 'posts', query: 'storm', bounds } as const;
      const counted = await counter.count(question, new AbortController().signal);
      expect(Array.from(counted?.counts ?? [])).toEqual(truth(bounds));
    }
    counter.close();
  });
});

/** The dashboard's curve as a file has it. */
async function fileOf(run: SeriesRun, need: LayoutNeed, form: 'long' | 'wide'): Promise<string> {
  const edges = edgesOf(need);
  const { from, to } = rowsOf(edges, need.span, NOW);
  if (!run.curve) throw new Error('expected a curve');
  const { counts, states } = run.curve;
  const cut = { counts: counts.slice(from, to), states: states.slice(from, to) };
  return bytesOf(cut, need, edges.all.slice(from, to + 1), form);
}

const iso = (at: number): string => new Date(at).toISOString();

describe('groundswell counts', () => {
  const span = { start: Date.UTC(2026, 9, 20, 5), end: NOW };

  test.each(['long', 'wide'] as const)(
    'prints the %s file that the dashboard writes of Your posts',
    async (form) => {
      const time = new FakeTime(NOW);
      const now = (): number => time.now;
      service = startService({ posts: POSTS, posted: true, copied: true, now });
      const tab = openDashboard(service, { time });
      const run = tab.run();
      const shown = { resolution: 'hour', zone: 'Asia/Kathmandu', exact: true } as const;
      await run.ask(await tab.need({ from: iso(span.start), to: iso(span.end), ...shown }));
      const args = ['counts', 'storm', '--from', iso(span.start), '--to', iso(span.end)];
      const printed = await command(
        [
          ...args,
          '--granularity',
          'hour',
          '--zone',
          shown.zone,
          `--${form}`,
          '--data',
          service.folder,
        ],
        { now },
      );
      const file = await fileOf(run, { ...shown, span, weekStart: 1 }, form);
      const untimed = (text: string): string =>
        form === 'wide' ? text : text.replaceAll(/(?<=,posts,)[^\r]+/g, '');
      expect([printed.code, untimed(printed.out)]).toEqual([0, file]);
    },
  );

  test('prints the file that the dashboard writes of the platform, from the pages that it bought', async () => {
    const { platform, service: paid, tab } = await openPaid();
    service = paid;
    const settled = { start: Date.UTC(2026, 7, 3), end: Date.UTC(2026, 10, 4) };
    const shown = { resolution: 'week', zone: 'Europe/Berlin' } as const;
    const run = await buy(tab, { from: iso(settled.start), to: iso(settled.end), ...shown });
    const sent = platform.sent.length;
    const environment = {
      GROUNDSWELL_PLATFORM_TOKEN: platform.token,
      GROUNDSWELL_PLATFORM_URL: platform.url,
    };
    const args = ['counts', 'storm', '--source', 'platform', '--wide', '--granularity', 'week'];
    const range = ['--from', iso(settled.start), '--to', iso(settled.end), '--zone', shown.zone];
    const printed = await command([...args, ...range, '--data', paid.folder], {
      environment,
      now: () => NOW,
    });
    await platform.close();
    const need = { ...shown, span: settled, weekStart: 1, policy: { terms: {} } } as const;
    expect([printed.code, printed.out]).toEqual([0, await fileOf(run, need, 'wide')]);
    expect(platform.sent).toHaveLength(sent);
  });
});
