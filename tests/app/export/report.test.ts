import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { csvBlocks } from '#core/export/csv.ts';
import { readCsv } from '#app/export/read-csv.ts';
import { csvInReport, reportHtml, type ReportInput } from '#app/export/report.ts';
import { slideOf } from '#app/export/slide.ts';
import { fileKind, HEAD_BYTES } from '#app/import/file-kind.ts';
import { zoneTable } from '#core/time/zone.ts';
import { unicodeText } from '#tests/support/data/unicode-text.ts';
import { exportJobs } from '#tests/support/data/export-jobs.ts';
import { runs } from '#tests/support/run/runs.ts';
import { slide } from '#tests/support/data/slides.ts';

/** A report whose every text is one of the user. */
function reportOf(text: string, csv: string | null = text): string {
  const picture = (theme: 'light' | 'dark'): string =>
    slideOf(
      { ...slide({ theme, title: text, names: [text, 'Tea'], notes: [text] }), bare: true },
      null,
    ).svg;
  const input: ReportInput = {
    title: text,
    subtitle: text,
    foot: text,
    picture: { light: picture('light'), dark: picture('dark') },
    tables: [{ heading: text, columns: [text, text], rows: [[text, text]], note: `${text}.` }],
    method: [
      { of: 'note', name: text || 'name', value: text },
      { of: 'series', name: '', value: text },
      { of: 'fact', name: '', value: text },
    ],
    csv,
  };
  return reportHtml(input);
}

/** The elements of a document with the names of their attributes, outside its pictures. @throws If not well-formed. */
function elements(html: string): string[] {
  const out: string[] = [];
  const parser = new SaxesParser();
  let depth = 0;
  parser.on('opentag', ({ name, attributes, isSelfClosing }) => {
    if (name === 'svg' && !isSelfClosing) depth += 1;
    if (depth === 0) out.push(`${name} ${Object.keys(attributes).join(' ')}`);
    else
      expect(name).toMatch(
        /^(svg|g|path|text|line|rect|circle|defs|clipPath|style|polyline|polygon)$/,
      );
  });
  parser.on('closetag', ({ name }) => {
    if (name === 'svg') depth -= 1;
  });
  parser.write(html).close();
  return out;
}

const anyText = fc.oneof(
  unicodeText(),
  fc.string({
    unit: fc.constantFrom('<', '>', '&', '"', "'", '/', '-', '!', ']', '=', 'a', ' ', '\n'),
  }),
  fc.constantFrom(
    '</pre><script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '--><script>',
    '</style><script>',
    '</title><base href="//x">',
    '&lt;script&gt;',
    ']]>',
  ),
);

describe('a report', () => {
  it('has the same elements whatever the texts in it: none becomes markup', () => {
    const plain = elements(reportOf('x'));
    fc.assert(
      fc.property(anyText, (text) => {
        expect(elements(reportOf(text || ' '))).toEqual(plain);
      }),
      { numRuns: runs(150) },
    );
  });

  it('loads nothing, links nowhere and runs nothing', () => {
    const html = reportOf('https://example.com');
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(html).not.toMatch(
      /<script|<link|<base|<iframe|<img|<a |\son\w+=|href=|src=|@import|url\((?!#)/i,
    );
    expect(html).toContain('@media print');
    expect(html).toContain('prefers-color-scheme: dark');
  });

  it('gives the parts of its two pictures different names', () => {
    const ids = [...reportOf('x').matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('opens as the series whose counts it has', async () => {
    await fc.assert(
      fc.asyncProperty(exportJobs, async ({ zone, ...job }) => {
        const decoder = new TextDecoder();
        const span = { start: job.bounds[0] ?? 0, end: job.bounds.at(-1) ?? 1 };
        const long = { ...job, form: 'long', separator: ',', mark: false } as const;
        const text = [...csvBlocks(long, zoneTable(zone, span))]
          .map(({ bytes }) => decoder.decode(bytes, { stream: true }))
          .join('');
        const html = reportOf('x', text);
        expect(fileKind('any', new TextEncoder().encode(html).subarray(0, HEAD_BYTES))).toBe(
          'report',
        );
        const back = await readCsv(csvInReport(html) ?? '');
        if (!back.ok) throw new Error(back.problem.rule);
        for (const [i, { curve }] of back.series.entries()) {
          expect(curve.bounds).toEqual(job.bounds);
          expect(curve.counts).toEqual(job.series[i]?.counts.map((count) => count + 0));
          expect(curve.states).toEqual(job.series[i]?.states);
        }
      }),
      { numRuns: runs(60) },
    );
    expect(csvInReport(reportOf('x', null))).toBeNull();
  });
});
