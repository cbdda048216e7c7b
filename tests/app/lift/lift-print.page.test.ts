import { flushSync, mount, unmount } from 'svelte';
import { expect, it } from 'vitest';
import '@fontsource-variable/inter';
import LiftPrint from '#app/lift/LiftPrint.svelte';
import { Formatter } from '#app/format/formatter.ts';
import '#app/ui/base.css';
import '#app/ui/tokens.css';
import { liftReport } from '#tests/support/data/lift-reports.ts';

/** Height of US Letter within the margins of `print.css`, px. */
const SHEET_PX = 965;
const FIVE = ['soy', 'rice', 'pea', 'hemp', 'nut'];

it.each<[string, Parameters<typeof liftReport>[0], string?]>([
  ['a week', {}],
  ['a week, with a control', { isControlled: true }, 'soy'],
  ['three days, with accounts', { days: 3, isControlled: true, isCounted: true, times: 40 }, 'soy'],
  ['two months', { days: 60, isControlled: true, isCounted: true, times: 4 }, 'soy'],
  [
    'two weeks, with several controls',
    {
      days: 14,
      isControlled: true,
      isCounted: true,
      times: 40,
      over: { controls: FIVE.map((query) => ({ name: query, query })) },
    },
    FIVE.join('\n'),
  ],
])(
  'has a lift on one sheet, with all of every cell, and names the control: %s',
  async (_, of, control) => {
    const target = document.body.appendChild(document.createElement('div'));
    await document.fonts.load('7px "Inter Variable"');
    const props = { report: liftReport(of), format: new Formatter('en-GB', 'UTC') };
    const view = mount(LiftPrint, { target, props });
    flushSync();
    const paper = document.querySelector<HTMLElement>('article.alone')!;
    const names = [...paper.querySelectorAll('.facts dt')];
    const fact = names.find(({ textContent }) => textContent === 'Control')?.nextElementSibling;
    const { height } = paper.getBoundingClientRect();
    const cut = [...paper.querySelectorAll('li span')].filter(
      (cell) => cell.scrollWidth > cell.clientWidth,
    );
    await unmount(view);
    target.remove();
    expect(height).toBeLessThan(SHEET_PX);
    expect(cut.map(({ parentElement }) => parentElement!.textContent)).toEqual([]);
    expect(fact?.textContent).toBe(control);
  },
);
