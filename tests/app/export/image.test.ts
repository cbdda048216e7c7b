import { describe, expect, it } from 'vitest';
import { lineParts } from '#app/chart/decimate.ts';
import { chartOption, type ChartPicture } from '#app/chart/option.ts';
import { chartSvg, pictureOf, type ImageInput } from '#app/export/image.ts';
import { STATE } from '#core/series/series.ts';

const base = {
  ink: '#111111',
  quiet: '#777777',
  hairline: '#eeeeee',
  axis: '#cccccc',
  ground: '#fafafa',
  font: '"Inter Variable", sans-serif',
  fontSize: 11,
};
const plot = { left: 50, right: 20, top: 14, bottom: 28 };
const curve = {
  bounds: Float64Array.of(0, 10, 20, 30),
  counts: Float64Array.of(1, Number.NaN, 3),
  states: Uint8Array.of(STATE.settled, STATE.never, STATE.partial),
  fetchedAt: new Float64Array(3),
};
const lines: ChartPicture['lines'] = [
  {
    id: '7',
    colour: '#123456',
    dash: [6, 3],
    parts: { ...lineParts(curve, null, { start: 0, end: 30 }), earlier: null },
    marker: 'circle',
    fill: 'none',
    right: false,
    dots: new Float64Array(0),
  },
];
const given: ChartPicture = {
  window: { start: 0, end: 30 },
  plot,
  scale: { kind: 'linear', low: 0, high: 4, one: 1, ticks: [0, 2, 4] },
  ticks: [{ at: 0, text: '2026', strong: true }],
  lines,
  colours: base,
  stacked: false,
  value: (value) => `${value} Posts`,
  right: null,
};
const option = chartOption(given);
const input = (over: Partial<ImageInput['chart']> = {}, names = ['Oat & <milk>']): ImageInput => ({
  chart: {
    option,
    width: 640,
    height: 300,
    plot,
    dashed: true,
    colours: { base, series: [] },
    marks: [{ at: 5, x: 150, text: 'new search index', full: '' }],
    notes: ['upper bounds'],
    peaks: [
      { x: 300, y: 90, colour: '#abcdef', text: '3 on 8 Mar' },
      { x: 340, y: 99, colour: '#fedcba', text: '' },
    ],
    ...over,
  },
  title: 'Posts per week',
  subtitle: '1 – 30 Jan 2026 · Berlin',
  legend: names.map((name) => ({ name, colour: '#123456', dash: [6, 3] })),
  foot: 'Sample · 21 Nov 2026',
});
const picture = (given = input()) => pictureOf(given, null);
const texts = (svg: string): string[] =>
  [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, t]) => t ?? '');

describe('the image of a chart', () => {
  it('is well-formed, whatever the name of the font', () => {
    // Every tag consists of a name, and attributes whose values have no quotes.
    for (const [tag] of picture().svg.matchAll(/<[^/!][^>]*>/g)) {
      expect(tag).toMatch(/^<[a-z][\w:]*(\s+[\w:-]+="[^"<]*")*\s*\/?>$/i);
    }
  });

  it('shows the same as the screen: lines with colour and dash, axes with labels', () => {
    const svg = chartSvg(option, 640, 300);
    expect(svg).toMatch(/stroke="#123456"/);
    expect(svg).toMatch(/stroke-dasharray="6,3"/);
    expect(texts(svg)).toEqual(expect.arrayContaining(['2026', '4 Posts']));
  });

  it('draws bars in their columns on the axis', () => {
    const [line] = lines;
    if (!line) throw new Error('expected a line');
    const bars = Float64Array.of(5, 4, 15, 4, 25, 4);
    const parts = { ...line.parts, line: bars, barWidth: 20 };
    const barsOf = (abreast: number): string[] => {
      const series = ['1', '2'].slice(0, abreast).map((id) => ({ ...line, id, parts }));
      const svg = chartSvg(chartOption({ ...given, lines: series }), 640, 300);
      return [...svg.matchAll(/<path d="([^"]*)" fill="#2e4c6a"/g)].map(([, d]) => d ?? '');
    };
    const lefts = (path = ''): number[] => [...path.matchAll(/M(\d+)/g)].map(([, x]) => Number(x));
    // Each column has 190 px, the first from 50 to 240.
    expect(barsOf(1).map(lefts)).toEqual([[135, 325, 515]]);
    expect(barsOf(2).map(lefts)).toEqual([
      [125, 315, 505],
      [145, 335, 525],
    ]);
  });

  it('has a second axis with its own labels inside the image', () => {
    const [line] = lines;
    if (!line) throw new Error('expected a line');
    const scale = { kind: 'linear', low: 0, high: 0.5, one: 1, ticks: [0, 0.25, 0.5] } as const;
    const right = { scale, value: (value: number) => `${value * 100} %` };
    const wide = { ...plot, right: 60 };
    const both = { ...given, plot: wide, right, lines: [line, { ...line, id: '8', right: true }] };
    const svg = chartSvg(chartOption(both), 640, 300);
    expect(texts(svg)).toEqual(expect.arrayContaining(['4 Posts', '50 %', '25 %']));
    const at = /<text[^>]*transform="translate\(([\d.]+) [\d.]+\)"[^>]*>50 %</.exec(svg)?.[1];
    expect(Number(at)).toBe(640 - 60 + 8);
  });

  it('has title, range, names, marks, peaks, source and date, on the background of the screen', () => {
    const { svg, width, height } = picture();
    expect(texts(svg)).toEqual(
      expect.arrayContaining([
        'Posts per week',
        '1 – 30 Jan 2026 · Berlin',
        'Oat &amp; &lt;milk&gt;',
        'new search index',
        'upper bounds',
        '3 on 8 Mar',
        'Sample · 21 Nov 2026',
      ]),
    );
    expect(svg).toContain(`<rect width="640" height="${height}" fill="#fafafa"/>`);
    expect(svg).toMatch(/<line [^>]*stroke="#123456"[^>]*stroke-dasharray="6 3"/);
    expect(svg).toMatch(/<circle cx="300.0" cy="90.0"[^>]*stroke="#abcdef"/);
    expect(svg).toMatch(/<line x1="340.0" x2="340.0" y1="96.0" y2="102.0" stroke="#fedcba"/);
    expect(width).toBe(640);
  });

  it('refers to no other file, and has no characters that XML does not allow', () => {
    const { svg } = picture(input({}, ['a\u0000b\u{1F600}\uD800"']));
    expect(texts(svg)).toContain('ab\u{1F600}&quot;');
    expect(svg.replaceAll('http://www.w3.org/', '')).not.toMatch(
      /https?:|href|<script|<image|foreignObject/,
    );
  });

  it('has as many rows in the legend as needed', () => {
    const many = Array.from({ length: 12 }, (_, i) => `A rather long name ${i}`);
    expect(picture(input({}, many)).height).toBeGreaterThan(picture().height + 40);
  });

  it('omits marks outside the window', () => {
    const marks = [{ at: 0, x: 20, text: 'too early', full: '' }];
    expect(texts(picture(input({ marks })).svg)).not.toContain('too early');
  });

  it('embeds the font if there is one', () => {
    const { svg } = pictureOf(input(), {
      name: 'Inter',
      base64: 'AAAA',
    });
    expect(svg).toContain("@font-face{font-family:'Inter'");
    expect(svg).toContain('url(data:font/woff2;base64,AAAA)');
  });
});
