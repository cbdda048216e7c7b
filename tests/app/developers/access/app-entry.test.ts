import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appValues, readApp, type AppField } from '#app/developers/access/app-entry.ts';
import type { EntryValues } from '#app/settings/entry-form.svelte.ts';
import { NEW_APP } from '#contract/accounts/apps.ts';
import { app } from '#tests/app/settings/memory-service.ts';

const RADAR = app('Radar', {
  callbacks: ['https://a.example/in', 'app://b'],
  credits: 25_500_000,
  owner: 'ann',
});
const read = (
  over: Partial<EntryValues<AppField>>,
  of: typeof RADAR | null = RADAR,
  decimal = '.',
) => readApp(of, { ...appValues(of, decimal), ...over }, decimal);

describe('the form for an app', () => {
  it('adds an app with all of its settings', () => {
    const typed = {
      name: ' Radar ',
      credits: '0.5',
      callbacks: ' https://a.example \n\n app://b ',
    };
    expect(read(typed, null)).toEqual({
      order: {
        action: 'add',
        name: 'Radar',
        settings: { ...NEW_APP, credits: 500_000, callbacks: ['https://a.example', 'app://b'] },
      },
      wrong: {},
    });
  });

  it('shows amounts in dollars, and no limit as an empty field', () => {
    expect(appValues(RADAR, ',')).toMatchObject({
      credits: '25,5',
      spending_limit: '',
      owner: 'ann',
      callbacks: 'https://a.example/in\napp://b',
    });
  });

  it('sets only what changed', () => {
    expect(read({})).toEqual({ order: null, wrong: {} });
    for (const [typed, settings] of [
      [{ credits: '' }, { credits: null }],
      [{ credits: '1' }, { credits: 1_000_000 }],
      [{ spending_limit: '0.000001' }, { spending_limit: 1 }],
      [{ spending_limit: '0' }, { spending_limit: 0 }],
      [{ owner: '' }, { owner: null }],
      [{ stream_rules: '30000' }, { stream_rules: 30_000 }],
      [{ callbacks: '' }, { callbacks: [] }],
      [
        { access: 'enterprise', limited: false },
        { access: 'enterprise', limited: false },
      ],
    ] as const) {
      const order = { action: 'set', name: 'Radar', settings };
      expect(read(typed)).toEqual({ order, wrong: {} });
    }
  });

  it.each([
    [{ name: ' ' }, 'name', 'The name must have 1 to 32 characters.'],
    [{ credits: 'much' }, 'credits', 'Enter a number like 0.5 or 25.'],
    [{ credits: '-1' }, 'credits', 'Enter a number like 0.5 or 25.'],
    [{ credits: '1,000' }, 'credits', 'Enter thousands without a separator: 1000.'],
    [{ credits: '0.0000001' }, 'credits', 'At most six digits after the decimal sign.'],
    [{ credits: '99999999999' }, 'credits', 'Enter a smaller amount.'],
    [{ spending_limit: 'x' }, 'spending_limit', 'Enter a number like 0.5 or 25.'],
    [{ stream_rules: 'x' }, 'stream_rules', 'Enter a number like 0.5 or 25.'],
    [{ stream_rules: '0.5' }, 'stream_rules', 'Enter a whole number from 1 to 250000.'],
    [{ stream_rules: '250001' }, 'stream_rules', 'Enter a whole number from 1 to 250000.'],
    [{ callbacks: 'here' }, 'callbacks', 'here is not an absolute address without a fragment.'],
    [{ callbacks: 'app://b\n'.repeat(11) }, 'callbacks', 'At most 10 addresses.'],
  ] as const)('explains %j at its field', (typed, field, message) => {
    expect(read(typed)).toEqual({ order: null, wrong: { [field]: message } });
  });

  it('reads every amount that it shows as the same whole number of micro-dollars', () => {
    const micro = fc.integer({ min: 0, max: 1_000_000_000_000 });
    fc.assert(
      fc.property(micro, fc.constantFrom('.', ','), (credits, decimal) => {
        const shown = appValues(app('Radar', { credits }), decimal).credits;
        const { order } = read({ credits: shown }, app('Radar', { credits: null }), decimal);
        expect(order).toEqual({ action: 'set', name: 'Radar', settings: { credits } });
      }),
    );
  });
});
