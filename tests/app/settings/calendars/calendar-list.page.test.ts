import { describe, expect, it, vi } from 'vitest';
import { userEvent } from 'vitest/browser';
import { Formatter } from '#app/format/formatter.ts';
import CalendarList from '#app/settings/calendars/CalendarList.svelte';
import { CalendarSettings } from '#app/settings/calendars/calendars.svelte.ts';
import '#app/ui/base.css';
import '#app/ui/tokens.css';
import { plainProblem } from '#contract/fault.ts';
import { violationsIn } from '#tests/support/browser/accessibility.ts';
import { mounted } from '#tests/support/browser/mounted.ts';

const FAIRS = {
  id: '1',
  name: 'Fairs',
  host: 'example.com',
  events: 2,
  read_at: '2026-06-01T12:00:00.000Z',
  fault: null,
  notes: ['Line 4: the time has no zone, so it is shown at that time in the zone of the board.'],
};

const COUNTRIES = [
  { code: 'FR', name: 'France', regions: [] },
  { code: 'DE', name: 'Germany', regions: [{ code: 'BY', name: 'Bayern' }] },
];

/** The list over a service in memory, whose answer to an address is `fault` if there is one. */
async function open(fault: Error | null = null) {
  let calendars: readonly object[] = [];
  const sent: string[] = [];
  const bodies: unknown[] = [];
  const client = {
    json: (path: string) =>
      Promise.resolve(path.endsWith('/holidays') ? { countries: COUNTRIES } : { calendars }),
    send: (method: string, path: string, body: unknown) => {
      sent.push(`${method} ${path}`);
      bodies.push(body);
      if (fault) return Promise.reject(fault);
      calendars = method === 'DELETE' ? [] : [FAIRS];
      return Promise.resolve({ calendar: FAIRS });
    },
  };
  const say = vi.fn<(text: string, undo?: () => void) => void>();
  const onchanged = vi.fn();
  const settings = new CalendarSettings({ client: client as never, say, onchanged });
  const props = { calendars: settings, format: new Formatter('en-GB') };
  const { target } = mounted(CalendarList, props);
  const field = target.querySelector<HTMLInputElement>('input.field');
  await userEvent.fill(field ?? target, 'https://example.com/fairs.ics');
  await userEvent.keyboard('{Enter}');
  return { target, say, onchanged, sent, bodies };
}

describe('the calendars in the settings', () => {
  it('are added by their address, show notes, and are removed with undo', async () => {
    const { target, say, onchanged, sent } = await open();
    await vi.waitFor(() => expect(target.querySelectorAll('li')).toHaveLength(1));
    expect(target.querySelector('li')?.textContent).toMatch(
      /Fairs\s*2 events · example\.com · read/,
    );
    expect(target.querySelector('li')?.textContent).toContain('Line 4: ');
    expect(await violationsIn(target)).toEqual([]);
    target.querySelector<HTMLElement>('[aria-label="Remove Fairs"]')?.click();
    await vi.waitFor(() => expect(say).toHaveBeenCalledOnce());
    expect(target.querySelectorAll('li')).toHaveLength(0);
    say.mock.calls[0]?.[1]?.();
    await vi.waitFor(() => expect(target.querySelectorAll('li')).toHaveLength(1));
    expect(sent).toEqual([
      'POST /calendars/address',
      'DELETE /calendars/1',
      'POST /calendars/1/restore',
    ]);
    expect(onchanged).toHaveBeenCalledTimes(3);
  });

  it('say why one could not be added, and leave the address', async () => {
    const refused = plainProblem(422, 'Unprocessable Content', 'The URL must begin with https.');
    const { target } = await open(refused);
    await vi.waitFor(() => expect(target.querySelector('[role=alert]')).not.toBeNull());
    expect(target.querySelector('[role=alert]')?.textContent).toBe(
      'The URL must begin with https.',
    );
    expect(target.querySelector<HTMLInputElement>('input.field')?.value).toContain('fairs.ics');
  });

  it('offer the holidays of a country, and of a region where it has some', async () => {
    const { target, bodies, sent } = await open();
    await vi.waitFor(() => expect(target.querySelectorAll('li')).toHaveLength(1));
    target.querySelector<HTMLElement>('.holidays')?.click();
    const choice = (name: string) =>
      target.querySelector<HTMLSelectElement>(`select[aria-label="${name} of the holidays"]`);
    await vi.waitFor(() => expect(choice('Country')).not.toBeNull());
    await userEvent.selectOptions(choice('Country') ?? target, 'FR');
    expect(choice('Region')).toBeNull();
    await userEvent.selectOptions(choice('Country') ?? target, 'DE');
    await userEvent.selectOptions(choice('Region') ?? target, 'BY');
    expect(await violationsIn(target)).toEqual([]);
    target.querySelector<HTMLElement>('[aria-label="Add the public holidays"]')?.click();
    await vi.waitFor(() => expect(choice('Country')).toBeNull());
    expect(sent.at(-1)).toBe('POST /calendars/holidays');
    expect(JSON.stringify(bodies.at(-1))).toContain('DE');
  });
});
