import { describe, expect, it } from 'vitest';
import { stepBetween } from '#app/board/saved/undo-labels.ts';
import { formatView, type View, type ViewSeries } from '#app/board/state/view.ts';
import type { BoardState } from '#app/board/state/workspace.svelte.ts';
import type { Note } from '#app/counts/cache/saved-board.ts';
import { NEW_CAMPAIGN } from '#app/events/board-events.svelte.ts';

const series = (query: string, more: Partial<ViewSeries> = {}): ViewSeries => ({
  query,
  label: '',
  hidden: false,
  ...more,
});
const BASE: View = {
  source: 'posts',
  range: { preset: '3y' },
  zone: 'UTC',
  series: [series('matcha', { label: 'Matcha' }), series('oat'), series('rice')],
};
const note = (id: string, more: Partial<Note> = {}): Note => ({
  id,
  start: 0,
  end: null,
  text: 'Recall story',
  ...more,
});
const campaign = (id: string, more: Partial<Note> = {}): Note =>
  note(id, { campaign: NEW_CAMPAIGN, ...more });
const state = (view: View, more: Partial<BoardState> = {}): BoardState => ({
  board: null,
  view: formatView(view),
  notes: [],
  fixed: [],
  ...more,
});
const [matcha, oat, rice] = BASE.series as [ViewSeries, ViewSeries, ViewSeries];
const panel = series('', { label: 'Panel', file: '0123abcd' });
const zoom = { start: Date.UTC(2026, 0, 1), end: Date.UTC(2026, 1, 1) };
const words = (before: BoardState, after: BoardState): string | undefined =>
  stepBetween(before, after, (id) => (id === 'plants' ? 'Plant drinks' : null))?.words;

describe('the label of a step', () => {
  it.each<[string, View]>([
    ['added tea', { ...BASE, series: [matcha, oat, rice, series('tea')] }],
    ['added 2 series', { ...BASE, series: [matcha, oat, rice, series('a'), series('b')] }],
    ['removed Matcha', { ...BASE, series: [oat, rice] }],
    ['added Panel from a file', { ...BASE, series: [matcha, oat, rice, panel] }],
    ['added 2 series from a file', { ...BASE, series: [panel, matcha, oat, rice, panel] }],
    ['removed 2 series', { ...BASE, series: [oat] }],
    ['reordered the series', { ...BASE, series: [rice, oat, matcha] }],
    ['changed the query of oat', { ...BASE, series: [matcha, series('oat milk'), rice] }],
    [
      'renamed oat to Oat milk',
      { ...BASE, series: [matcha, series('oat', { label: 'Oat milk' }), rice] },
    ],
    ['hid oat', { ...BASE, series: [matcha, { ...oat, hidden: true }, rice] }],
    [
      'showed oat alone',
      { ...BASE, series: [{ ...matcha, hidden: true }, oat, { ...rice, hidden: true }] },
    ],
    ['changed several series', { ...BASE, series: [matcha, series('x'), series('y')] }],
    ['range changed to last month', { ...BASE, range: { preset: 'last-month' } }],
    [
      'range changed to 2026-01-01 – 2026-02-01',
      { ...BASE, range: { from: '2026-01-01', to: '2026-02-01' }, resolution: 'hour' },
    ],
    ['source changed to the sample', { ...BASE, source: 'sample', range: { preset: '1y' } }],
    ['comparison changed to the 3 years before', { ...BASE, comparison: 'year-3' }],
    ['time zone changed to New York', { ...BASE, zone: 'America/New_York' }],
    ['resolution changed to week', { ...BASE, resolution: 'week' }],
    ['zoomed', { ...BASE, zoom }],
    ['hid notes', { ...BASE, events: ['-note'] }],
    ['showed stories', { ...BASE, events: ['+story'] }],
    ['added tea, zoomed', { ...BASE, zoom, series: [matcha, oat, rice, series('tea')] }],
    ['went to another view', { ...BASE, zoom, series: [oat], zone: 'Asia/Tokyo' }],
  ])('%s', (expected, after) => {
    expect(words(state(BASE), state(after))).toBe(expected);
  });

  it.each<[string, readonly Note[], readonly Note[]]>([
    ['added the note “Recall story”', [], [note('a')]],
    ['removed the note “Recall story”', [note('a')], []],
    ['changed the note “Other”', [note('a')], [note('a', { text: 'Other' })]],
    ['moved the note “Recall story”', [note('a')], [note('a', { start: 5 })]],
    ['changed the notes', [note('a')], [note('b'), note('c')]],
    ['added the campaign “Recall story”', [], [campaign('a')]],
    ['changed the campaign “Recall story”', [note('a')], [campaign('a')]],
    [
      'changed the campaign “Recall story”',
      [campaign('a')],
      [campaign('a', { campaign: { ...NEW_CAMPAIGN, spend: 5 } })],
    ],
    ['moved the campaign “Recall story”', [campaign('a')], [campaign('a', { start: 5 })]],
    ['changed the campaigns and notes', [note('a')], [note('b'), campaign('c')]],
  ])('%s', (expected, before, after) => {
    expect(words(state(BASE, { notes: before }), state(BASE, { notes: after }))).toBe(expected);
  });

  it('names the opened board, and is absent if only the tab changed', () => {
    const other = { ...BASE, series: [oat] };
    expect(words(state(BASE), state(other, { board: 'plants' }))).toBe('opened Plant drinks');
    expect(words(state(BASE, { board: 'plants' }), state(other))).toBe('started a new board');
    expect(words(state(BASE), state(BASE, { board: 'plants' }))).toBeUndefined();
    expect(words(state(BASE), state({ ...BASE, tab: 'table' }))).toBeUndefined();
    expect(words(state({ ...BASE, zoom }), state(BASE))).toBe('showed the whole range');
  });

  it('names the change to a series from a file', () => {
    const [before, without, other] = [
      [matcha, panel],
      [matcha],
      [matcha, { ...panel, label: 'Our panel' }],
    ].map((series) => state({ ...BASE, series }));
    expect(words(before!, without!)).toBe('removed Panel from a file');
    expect(words(before!, other!)).toBe('renamed Panel to Our panel');
  });

  it('has a kind only if later changes may merge into the step', () => {
    const kind = (after: BoardState): string | undefined =>
      stepBetween(state(BASE), after, () => null)?.kind;
    expect(kind(state({ ...BASE, series: [matcha, series('oats'), rice] }))).toBe('query:1');
    expect(kind(state({ ...BASE, zoom }))).toBe('zoom');
    expect(kind(state(BASE, { notes: [note('a')] }))).toBe('note:a');
    expect(kind(state({ ...BASE, series: [oat, rice] }))).toBe('');
  });
});
