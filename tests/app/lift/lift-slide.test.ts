import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { expect, it } from 'vitest';
import { Formatter } from '#app/format/formatter.ts';
import { reportText } from '#app/lift/lift-report.ts';
import { liftSlide, liftSlideTexts } from '#app/lift/lift-slide.ts';
import { liftReport, liftReports } from '#tests/support/data/lift-reports.ts';
import { SLIDES } from '#app/export/slide-rows.ts';

const FORMAT = new Formatter('en-GB', 'UTC');

/** The elements of a document by name, each with its attributes and its text. @throws If it is not well-formed. */
function elements(svg: string): { name: string; text: string; of: Record<string, string> }[] {
  const out: { name: string; text: string; of: Record<string, string> }[] = [];
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes }) => out.push({ name, text: '', of: attributes }));
  parser.on('text', (text) => {
    const last = out.at(-1);
    if (last) last.text += text;
  });
  parser.write(svg).close();
  return out;
}

it('has the sentences of the drawer and every window of the strip, in both shapes', () => {
  fc.assert(
    fc.property(
      liftReports,
      fc.constantFrom('16:9' as const, '4:3' as const),
      fc.constantFrom('light' as const, 'dark' as const),
      (report, shape, theme) => {
        const choice = { ...liftSlideTexts(report, FORMAT), shape, theme };
        const { svg, width, height } = liftSlide(report, choice, FORMAT, null);
        expect({ width, height }).toEqual(SLIDES[shape]);
        const all = elements(svg);
        const said = all.map(({ text }) => text).join(' ');
        const { headline, chance, everyday, accounts, control } = reportText(report);
        expect(said).toContain(headline);
        for (const text of [chance, everyday, accounts, control]) {
          if (text !== null) expect(said).toContain(text);
        }
        expect(said.includes('Control: Soy.')).toBe(control !== null);
        expect(said).toContain('Source: Your posts');
        const { earlier, around } = report.figure;
        const shown = [...around.before, ...around.after].filter((dot) => dot !== null).length;
        expect(all.filter(({ name }) => name === 'circle')).toHaveLength(
          earlier.length + shown + 1 + report.topics.length,
        );
        for (const { name, of } of all) {
          if (name === 'text') expect(Number(of['y'])).toBeLessThan(height);
        }
      },
    ),
    { numRuns: 40 },
  );
});

it('names the campaign, its days and the topic, and takes what the user writes', () => {
  const report = liftReport({ zone: 'Europe/Berlin', days: 3 });
  const { title, subtitle } = liftSlideTexts(report, FORMAT);
  expect(title).toMatch(/^Oat <milk> was up \d+% during =Launch & more$/);
  const flat = liftReport({ times: 1 });
  expect(liftSlideTexts(flat, FORMAT).title).toBe(
    'No change in Oat <milk> beyond chance during =Launch & more',
  );
  expect(subtitle).toBe(
    '=Launch & more · 1 Jun 2026, 02:00 – 4 Jun 2026, 02:00 · Oat <milk> · Posts a day · Berlin time',
  );
  const choice = { title: 'It <worked>', subtitle: '', shape: '16:9', theme: 'light' } as const;
  expect(liftSlide(report, choice, FORMAT, null).svg).toContain('It &lt;worked&gt;');
});
