import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { PALETTES } from '#app/chart/draw/palettes.ts';
import { cutTo, textWidth } from '#app/chart/draw/text-width.ts';
import { slideOf } from '#app/export/slide.ts';
import {
  slideInput,
  slideTexts,
  type SlideChoice,
  type SlideContext,
} from '#app/export/slide-input.ts';
import type { Causes } from '#core/causes/causes.ts';
import { DAY_MS } from '#core/time/span.ts';
import { unicodeText } from '#tests/support/data/unicode-text.ts';
import { runs } from '#tests/support/run/runs.ts';
import { slide, SLIDE_START } from '#tests/support/data/slides.ts';
import { SLIDES } from '#app/export/slide-rows.ts';

/** The texts of a document with their attributes. @throws If it is not well-formed. */
function texts(svg: string): { text: string; x: number; y: number; anchor: string }[] {
  const out: { text: string; x: number; y: number; anchor: string }[] = [];
  const parser = new SaxesParser();
  let inText = false;
  parser.on('opentag', ({ name, attributes }) => {
    inText = name === 'text';
    if (!inText) return;
    const { x, y, 'text-anchor': anchor } = attributes;
    out.push({ text: '', x: Number(x), y: Number(y), anchor: String(anchor) });
  });
  parser.on('text', (text) => {
    const last = out.at(-1);
    if (inText && last) last.text += text;
  });
  parser.on('closetag', () => (inText = false));
  parser.write(svg).close();
  return out;
}
const said = (svg: string): string[] => texts(svg).map(({ text }) => text);
const svgOf = (over: Parameters<typeof slide>[0] = {}): string => slideOf(slide(over), null).svg;

const peak = (number: number | null, day: number, seriesId = 0) => ({
  key: `${number} ${day}`,
  number,
  at: SLIDE_START + day * DAY_MS,
  count: 40 + day,
  seriesId,
});

describe('a slide', () => {
  it('is well-formed, whatever it says', () => {
    const any = unicodeText();
    fc.assert(
      fc.property(any, any, any, any, (title, subtitle, name, foot) => {
        const marks = [{ at: SLIDE_START + 9 * DAY_MS, text: subtitle }];
        const svg = svgOf({ title, subtitle, names: [name, title], foot, marks, notes: [name] });
        expect(() => texts(svg)).not.toThrow();
        expect(svg).not.toMatch(/<script|<image|foreignObject|href/);
      }),
      { numRuns: runs(60) },
    );
  });

  it('has its title, subtitle, names, marks, notes and foot, and the axes of the chart', () => {
    const svg = svgOf({
      names: ['Oat & <milk>', 'Tea'],
      marks: [{ at: SLIDE_START + 9 * DAY_MS, text: 'new search index' }],
      notes: ['upper bounds'],
    });
    expect(said(svg)).toEqual(
      expect.arrayContaining([
        'Oat & <milk>',
        'Posts per day',
        'Tea',
        'new search index',
        'upper bounds',
        'Source: Sample',
        'Jan 12',
        '30',
      ]),
    );
    expect(svg).toContain(`<rect width="960" height="540" fill="#ffffff"/>`);
  });

  it('names lines at their ends, or in a legend of equal columns if a name has no room there', () => {
    const short = said(svgOf({ names: ['Oat', 'Tea'], title: '' }));
    expect(short.filter((text) => text === 'Oat' || text === 'Tea')).toEqual(['Oat', 'Tea']);
    const names = ['Oat', 'Tea', 'A name with no room at the end'];
    const all = texts(svgOf({ names }));
    const [first, second, third] = names.map((name) => all.find(({ text }) => text === name)?.x);
    expect((third ?? 0) - (second ?? 0)).toBeCloseTo((second ?? 0) - (first ?? 0), 0);
    expect(
      said(svgOf({ names: ['Oat'], title: '' })).filter((text) => text === 'Oat'),
    ).toHaveLength(1);
  });

  it('explains every number of a peak, and numbers nothing else', () => {
    const peaks = [peak(1, 40), peak(2, 12), peak(null, 30)];
    const all = said(svgOf({ peaks }));
    expect(all.filter((text) => text === '1')).toHaveLength(2);
    expect(all.filter((text) => text === '2')).toHaveLength(2);
    expect(all).toContain('2026-02-10: 80');
    expect(all).not.toContain('2026-01-31: 70');
    expect(said(svgOf({ peaks: [] }))).not.toContain('1');
  });

  it('labels a peak by its first cause as on the page, and explains it by a dot', () => {
    const causes: Causes = {
      posts: 10,
      groups: [
        { kind: 'tag', name: '#teaday', clause: '#teaday', alone: true, posts: 7, usual: 0 },
      ],
      rest: { posts: 3, usual: 3 },
    };
    const { shown } = slide({ peaks: [{ ...peak(1, 41), causes }, peak(2, 12)] });
    const context = {
      source: 'sample',
      zone: 'UTC',
      resolution: 'day',
      drawn: 'Posts',
      window: shown.view.window,
      now: shown.view.window.end,
      series: [],
      format: shown.format.formatter,
    } as const;
    const about = { title: 'Feb 11 · Oat', colour: 1, count: 10, causes };
    const written = (over: Partial<SlideChoice>): string[] => {
      const texts = slideTexts(context);
      const usual = { shape: '16:9', theme: 'light', peaks: true, causes: null } as const;
      return said(slideOf(slideInput(shown, { ...usual, ...texts, ...over }, context), null).svg);
    };
    const all = written({});
    expect(all).toEqual(
      expect.arrayContaining([
        '#teaday',
        '#teaday, Wed, Feb 11, 2026: 81',
        'Tue, Jan 13, 2026: 52',
      ]),
    );
    expect(all.filter((text) => text === '1')).toEqual([]);
    expect(all.filter((text) => text === '2')).toHaveLength(2);
    const named = written({ causes: about });
    expect(named.slice(named.indexOf('What it was about: Feb 11 · Oat'))).toEqual([
      'What it was about: Feb 11 · Oat',
      '70%',
      '#teaday',
      '30%',
      'everything else, as usual',
    ]);
    expect(written({ causes: { ...about, count: 90 } })).toContain(
      'What it was about: Feb 11 · Oat, of 10 Posts read',
    );
  });

  it('has causes within its edges, whose bar is as wide as the chart', () => {
    const rows = [38, 25, 12, 11, 9, 5].map((percent, i) => ({
      name: `a rather long name of what it was about ${i}`,
      percent,
      share: `${percent}%`,
      isRest: i === 5,
    }));
    for (const shape of ['16:9', '4:3'] as const) {
      const causes = { heading: 'What it was about', colour: '#123456', rows };
      const { svg, width, height } = slideOf(slide({ shape, causes, peaks: [peak(1, 40)] }), null);
      const bars = [...svg.matchAll(/<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="8"/g)];
      expect(bars).toHaveLength(6);
      const [, last = '', wide = ''] = bars.at(-1) ?? [];
      expect(Number(last) + Number(wide)).toBeCloseTo(width - 41, 0);
      for (const { x, y, text, anchor } of texts(svg)) {
        if (anchor !== 'start') continue;
        expect(y).toBeLessThanOrEqual(height - 10);
        expect(x + textWidth(text, 10)).toBeLessThanOrEqual(width);
      }
    }
  });

  it('keeps the rings of peaks off a note that reaches them, and next to a shorter one', () => {
    const ring = (notes: string[]): number => {
      const svg = svgOf({ notes, high: 30, peaks: [peak(1, 55)] });
      const [, y = ''] = /<circle cx="[^"]+" cy="([^"]+)"/.exec(svg) ?? [];
      const [, top = ''] = /translate\(\S+ (\S+)\)" fill="[^"]+">30</.exec(svg) ?? [];
      return Number(y) - Number(top);
    };
    const long = 'A note of many words '.repeat(6).trim();
    expect([ring([]), ring(['A note']), ring([long])]).toEqual([0, -14, 8]);
  });

  it('says what its thin lines are', () => {
    expect(said(svgOf({ earlier: 'Oct 1–28, 2016' }))).toContain('Thin lines: Oct 1–28, 2016');
    expect(said(svgOf()).filter((text) => text.includes('Thin'))).toEqual([]);
  });

  it('says what its hollow points and dotted bars are', () => {
    const about = (over: Parameters<typeof slide>[0]): string[] =>
      said(svgOf(over)).filter((text) => /^(?:Hollow|Dotted)/.test(text));
    expect(about({ open: true })).toEqual(['Hollow: part of a day']);
    expect(about({ open: true, form: 'bars' })).toEqual(['Dotted: part of a day']);
    expect(about({})).toEqual([]);
  });

  it('explains a peak by its whole bucket, however long the name of its series is', () => {
    const name = 'A name without end, '.repeat(9);
    const { shown } = slide({ names: [name, 'Tea'], peaks: [peak(1, 7)] });
    const week = Float64Array.from(
      shown.data.series[0]?.curve.bounds.filter((_, i) => i % 7 === 0) ?? [],
    );
    const series = shown.data.series.map((each) => ({
      ...each,
      curve: {
        ...each.curve,
        bounds: week,
        counts: each.curve.counts.subarray(0, 8),
        states: each.curve.states.subarray(0, 8),
      },
    }));
    const context = {
      source: 'sample',
      zone: 'UTC',
      resolution: 'week',
      drawn: 'Share of the Posts of each week',
      window: shown.view.window,
      now: shown.view.window.end,
      series: [],
      format: shown.format.formatter,
    } as const;
    const choice = {
      shape: '4:3',
      theme: 'light',
      peaks: true,
      causes: null,
      ...slideTexts(context),
    } as const;
    const input = slideInput({ ...shown, data: { ...shown.data, series } }, choice, context);
    const all = said(slideOf(input, null).svg);
    expect(all).toContainEqual(expect.stringMatching(/^A name .*…, Jan 8–14, 2026: 47$/));
    expect(all[1]).toMatch(/^Share of the Posts of each week · Jan 1 – Mar 1, 2026 · UTC · Sample/);
  });

  it.each(['16:9', '4:3'] as const)(
    'states its unit, time and zone once, also if its subtitle does not, at %s',
    (shape) => {
      const { shown } = slide();
      const evidence = ['Largest change: Oat, 300 Posts, +20.8% from the previous period.'];
      const context = {
        source: 'posts',
        zone: 'America/Argentina/Buenos_Aires',
        resolution: 'week',
        drawn: 'Share of the Posts of each week',
        compared: 'compared with the previous period, 31 days against 28 days',
        window: shown.view.window,
        now: shown.view.window.end,
        series: [],
        format: shown.format.formatter,
      } as const;
      const finding = { rule: 'change', sentence: ['Oat rose by 20.8%'], evidence } as const;
      const saidWith = (over: Partial<SlideContext>, subtitle?: string): string[] => {
        const of = { ...context, ...over };
        const texts = slideTexts(of);
        const usual = { shape, theme: 'light', peaks: true, causes: null, ...texts } as const;
        const choice = { ...usual, ...(subtitle !== undefined && { subtitle }) };
        return said(slideOf(slideInput(shown, choice, of), null).svg);
      };
      for (const all of [
        saidWith({}),
        saidWith({ finding }),
        saidWith({}, 'Oat'),
        saidWith({}, ''),
      ])
        for (const fact of [
          'Share of the Posts of each week',
          shown.format.formatter.span(shown.view.window, context.zone),
          'Buenos Aires time',
        ])
          expect(all.filter((text) => text.includes(fact))).toHaveLength(1);
      const all = saidWith({ finding });
      const from = all.findIndex((text) => text.startsWith('Source: '));
      const foot = all.slice(from, 1 + all.findIndex((text) => text.endsWith('Groundswell')));
      expect(foot).toHaveLength(shape === '4:3' ? 2 : 1);
      expect(foot.join(' · ')).toMatch(/as of .* · Groundswell$/);
    },
  );

  it('has a long title in two lines, and cuts off only what is longer', () => {
    const title = Array.from({ length: 12 }, (_, i) => `a topic ${i}`).join(', ');
    const head = texts(svgOf({ title, shape: '4:3' })).slice(0, 3);
    expect(`${head[0]?.text} ${head[1]?.text}`).toBe(title);
    expect(head.map(({ y }) => y)).toEqual([58, 84, 106]);
    expect(said(svgOf({ title: `${title}, ${title}` }))[1]).toMatch(/…$/);
  });

  it('stays within its edges in both shapes, with many long names and all peaks', () => {
    const names = Array.from({ length: 9 }, (_, i) => `A rather long name of a topic ${i}`);
    const peaks = Array.from({ length: 8 }, (_, i) => peak(i + 1, 5 + 6 * i, i));
    for (const shape of ['16:9', '4:3'] as const) {
      const { svg, width, height } = slideOf(slide({ shape, names, peaks }), null);
      expect({ width, height }).toEqual(SLIDES[shape]);
      for (const { text, x, y, anchor } of texts(svg)) {
        if (Number.isNaN(x)) continue;
        expect(y).toBeLessThanOrEqual(height - 10);
        const right = x + (anchor === 'start' ? textWidth(text, 10) : 0);
        expect(right).toBeLessThanOrEqual(width);
      }
    }
  });

  it('has the colours of its theme, which are those of the page', () => {
    expect(svgOf({ theme: 'dark' })).toContain(`fill="${PALETTES.dark.base.ground}"`);
    const css = readFileSync('src/app/ui/tokens.css', 'utf8');
    const [light = '', dark = ''] = css.split(/\[data-theme=['"]dark['"]\]/);
    for (const [part, { base, series }] of [
      [light, PALETTES.light],
      [dark, PALETTES.dark],
    ] as const) {
      const token = (name: string): string =>
        new RegExp(`--${name}:\\s*([^;]+);`).exec(part)?.[1] ?? '';
      expect([base.ink, base.quiet, base.hairline, base.axis, base.ground]).toEqual(
        ['ink', 'ink-3', 'line', 'line-strong', 'ground'].map(token),
      );
      expect(series).toEqual(series.map((_, i) => token(`series-${i + 1}`)));
    }
  });

  it('draws every form, and dashes if the page does', () => {
    for (const form of ['line', 'area', 'stack', 'share', 'bars'] as const) {
      expect(svgOf({ form, names: ['Oat', 'Tea'] })).toMatch(/#0067b8|rgb\(0,103,184\)/);
    }
    expect(svgOf({ dashed: true, names: ['Oat', 'Tea'] })).toMatch(/stroke-dasharray="6,3"/);
    expect(svgOf({ names: ['Oat', 'Tea'] })).not.toMatch(/stroke-dasharray="6,3"/);
  });

  it('embeds the font if there is one', () => {
    const { svg } = slideOf(slide(), { name: 'Inter', base64: 'AAAA' });
    expect(svg).toContain("@font-face{font-family:'Inter'");
    expect(svg).toContain('url(data:font/woff2;base64,AAAA)');
  });
});

it('cuts a text to its room', () => {
  expect(cutTo('short', 12, 100)).toBe('short');
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.integer({ min: 30, max: 200 }),
      (text, room) => {
        expect(textWidth(cutTo(text, 12, room), 12)).toBeLessThanOrEqual(Math.max(room, 24));
      },
    ),
  );
});
