import { flushSync } from 'svelte';
import { describe, expect, it, vi } from 'vitest';
import { Formatter } from '#app/format/formatter.ts';
import LinkDialog from '#app/links/LinkDialog.svelte';
import { LinkSettings } from '#app/links/link-settings.svelte.ts';
import LinksPart from '#app/links/LinksPart.svelte';
import '#app/settings/forms.css';
import '#app/ui/base.css';
import '#app/ui/tokens.css';
import { plainProblem } from '#contract/fault.ts';
import type { LinkInfo, LinkKind } from '#contract/links/links.ts';
import { violationsIn } from '#tests/support/browser/accessibility.ts';
import { button } from '#tests/app/alerts/memory-alerts.ts';
import { mounted } from '#tests/support/browser/mounted.ts';

const LINK: LinkInfo = {
  id: '7',
  kind: 'data',
  name: 'Weekly sheet',
  board: 'Tea',
  login: null,
  created_at: '2026-06-01T00:00:00.000Z',
  ends_at: '2026-08-30T00:00:00.000Z',
  used_at: '2026-06-15T12:00:00.000Z',
  view: null,
  visits: 12,
};

/** The links of a service in memory, and the calls it got. */
function memoryLinks(links: readonly LinkInfo[]) {
  const state = { links };
  const sent: unknown[] = [];
  let refused = false;
  return {
    sent,
    refuse: () => (refused = true),
    client: {
      json: () => Promise.resolve({ ...state } as never),
      send: (method: string, path: string, body: unknown) => {
        sent.push([`${method} ${path}`, body]);
        if (refused) return Promise.reject(plainProblem(409, 'Conflict', 'There are 100 links.'));
        if (method === 'DELETE') state.links = [];
        if (path.endsWith('/restore')) state.links = links;
        return Promise.resolve({ link: LINK, secret: 'SECRET' } as never);
      },
    },
  };
}

describe('the dialog for a link', () => {
  function open(
    boards: { name: string; saved: object | null; dirty: boolean },
    kind: LinkKind = 'data',
    offered = { topics: '', range: '' },
  ) {
    const service = memoryLinks([]);
    const store = vi.fn(() => {
      [boards.saved, boards.dirty] = [{}, false];
      return Promise.resolve();
    });
    const given: string[] = [];
    mounted(LinkDialog, {
      kind,
      offered,
      boards: {
        name: boards.name,
        get dirty() {
          return boards.dirty;
        },
        get saved() {
          return boards.saved && { id: 'board-1' };
        },
        save: store,
        saveAs: store,
        exchange: () => Promise.resolve(),
      } as never,
      client: service.client,
      ongive: (text: string) => given.push(text),
      onlist: () => undefined,
      onclose: () => undefined,
    });
    const box = (): HTMLElement => document.querySelector<HTMLElement>('.dialog-box')!;
    const text = (): string => box().textContent.replaceAll(/\s+/g, ' ');
    return { ...service, box, text, store, given };
  }

  it('saves the board, and shows the addresses once', async () => {
    const { box, text, store, sent, given } = open({ name: 'Tea', saved: {}, dirty: true });
    await expect.poll(text).toContain('The changes to the board are saved, too.');
    // The page of this test is served to this machine alone.
    const reach = `${location.host} opens only on this machine.`;
    expect(text()).toContain(`shows no Posts. ${reach}`);
    button(box(), 'Make the link').click();
    await expect.poll(text).toContain(`can read the counts. ${reach}`);
    expect(store).toHaveBeenCalledOnce();
    expect(sent).toEqual([
      ['POST /links', { kind: 'data', board: 'board-1', name: 'Tea', days: 90 }],
    ]);
    button(box(), 'Copy the address of wide.csv').click();
    expect(given).toEqual([`${location.origin}/data/SECRET/wide.csv`]);
    expect(await violationsIn(document.body)).toEqual([]);
  });

  it('makes a view with its choices, and markup for the sites that may show it', async () => {
    const { box, text, sent, given } = open({ name: 'Tea', saved: {}, dirty: false }, 'view');
    const labelled = (label: string): HTMLLabelElement =>
      [...box().querySelectorAll('label')].find(({ textContent }) => textContent.includes(label))!;
    const type = (label: string, value: string): void => {
      const input = labelled(label).control!;
      (input as HTMLInputElement).value = value;
      input.dispatchEvent(new Event('input', { bubbles: true }));
      flushSync();
    };
    labelled('only the board’s').click();
    box().querySelector<HTMLInputElement>('[type=checkbox]')!.click();
    box().querySelector('details')!.open = true;
    type('Password', 'short');
    expect(text()).toContain('The password needs 8 characters.');
    type('Password', 'correct horse');
    type('Sites', 'wiki.example.org');
    expect(text()).toContain('wiki.example.org is not the address of a site');
    button(box(), 'Make the link').click();
    expect(sent).toEqual([]);
    type('Sites', 'https://wiki.example.org');
    expect(await violationsIn(document.body)).toEqual([]);
    button(box(), 'Make the link').click();
    await expect.poll(text).toContain('Visitors are asked for the password.');
    const view = {
      posts: true,
      presets: false,
      sites: ['https://wiki.example.org'],
      password: 'correct horse',
    };
    expect(sent).toEqual([
      ['POST /links', { kind: 'view', board: 'board-1', name: 'Tea', days: 90, view }],
    ]);
    button(box(), 'Copy the address').click();
    button(box(), 'Copy the markup').click();
    expect(given[0]).toBe(`${location.origin}/view/SECRET/`);
    expect(given[1]).toContain(`<iframe src="${given[0]}"`);
  });

  it('offers a name for a board that is not saved', async () => {
    const { box, text, sent } = open({ name: '', saved: null, dirty: false }, 'data', {
      topics: 'tea',
      range: '2026',
    });
    await expect.poll(text).toContain('The board is saved under this name, too.');
    button(box(), 'Make the link').click();
    await expect.poll(() => sent).toHaveLength(1);
    expect(sent[0]).toMatchObject(['POST /links', { name: 'tea · 2026' }]);
  });

  it('says why a link cannot be made, and waits for a name', async () => {
    const { box, text, refuse, sent } = open({ name: '', saved: null, dirty: false });
    await expect.poll(text).toContain('The board is saved under this name, too.');
    button(box(), 'Make the link').click();
    expect(sent).toEqual([]);
    const input = box().querySelector<HTMLInputElement>('input.field')!;
    input.value = 'Tea';
    input.dispatchEvent(new Event('input', { bubbles: true }));
    refuse();
    button(box(), 'Make the link').click();
    await expect.poll(text).toContain('There are 100 links.');
  });
});

describe('the list of links', () => {
  it('has the last use and the end of each, and revokes one with undo', async () => {
    const { client, sent } = memoryLinks([LINK]);
    const said: { text: string; undo: (() => void) | undefined }[] = [];
    const links = new LinkSettings({ client, say: (text, undo) => said.push({ text, undo }) });
    await links.all.load();
    mounted(LinksPart, { links, format: new Formatter('en-GB') });
    const text = (): string => document.body.textContent.replaceAll(/\s+/g, ' ');
    expect(text()).toContain('Weekly sheet');
    expect(text()).toContain('12 visits, last 15 Jun 2026, 12:00 · ends 30 Aug 2026');
    expect((await violationsIn(document.body)).join('\n')).not.toMatch(/^label:/m);
    button(document.body, 'Revoke Weekly sheet').click();
    await expect.poll(text).toContain('None.');
    expect(said[0]?.text).toBe('The link “Weekly sheet” no longer works.');
    said[0]?.undo?.();
    await expect.poll(text).toContain('Weekly sheet');
    expect(sent).toEqual([
      ['DELETE /links/7', undefined],
      ['POST /links/7/restore', undefined],
    ]);
  });
});
