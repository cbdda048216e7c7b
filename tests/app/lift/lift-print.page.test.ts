import { flushSync, mount, unmount } from 'svelte';
import { expect, it } from 'vitest';
import LiftPrint from '#app/lift/LiftPrint.svelte';
import { Formatter } from '#app/format/formatter.ts';
import '#app/ui/base.css';
import '#app/ui/tokens.css';
import { liftReport } from '#tests/support/data/lift-reports.ts';

const SIX = ['soy', 'rice', 'pea', 'hemp', 'nut', 'whey'];

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
      over: { controls: SIX.map((query) => ({ name: query, query })) },
    },
    SIX.join('\n'),
  ],
])('names the control on paper: %s', async (_, of, control) => {
  const target = document.body.appendChild(document.createElement('div'));
  const props = { report: liftReport(of), format: new Formatter('en-GB', 'UTC') };
  const view = mount(LiftPrint, { target, props });
  flushSync();
  const paper = document.querySelector<HTMLElement>('article.alone')!;
  const names = [...paper.querySelectorAll('.facts dt')];
  const fact = names.find(({ textContent }) => textContent === 'Control')?.nextElementSibling;
  await unmount(view);
  target.remove();
  expect(fact?.textContent).toBe(control);
});
