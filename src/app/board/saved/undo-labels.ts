import { plural } from '#core/format/plural.ts';
import { omit } from '#core/omit.ts';
import { earlierWords, parseNamed } from '#core/series/comparison.ts';
import { presetOf } from '#core/time/presets.ts';
import { parseView, type View, type ViewSeries } from '#app/board/state/view.ts';
import type { BoardState } from '#app/board/state/workspace.svelte.ts';
import { KIND_FACTS, onKinds, type EventKind } from '#app/events/event.ts';
import { zoneCity } from '#app/format/formatter.ts';

/** A change of the board, in words that follow “Undo:”. */
export interface Step {
  readonly words: string;
  /** Changes of one kind in quick succession are one step; empty if each is a step of its own. */
  readonly kind: string;
}

const MAX_NAME = 32;

function cut(text: string): string {
  const line = text.trim().replaceAll(/\s+/gu, ' ');
  return line.length > MAX_NAME ? `${line.slice(0, MAX_NAME - 1).trimEnd()}…` : line;
}

const nameOf = ({ label, query, typed }: ViewSeries): string =>
  cut(label || query || typed || 'a series');
const quoted = (text: string): string => `“${cut(text)}”`;
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const SOURCE_WORDS = {
  sample: 'the sample',
  posts: 'your posts',
  platform: 'the platform',
} as const;

function rangeWords(range: View['range']): string {
  if (!range) return 'range changed';
  const to = 'preset' in range ? presetOf(range.preset).phrase : `${range.from} – ${range.to}`;
  return `range changed to ${to}`;
}

/** The entries of one list that have no equal in the other. */
function without(list: readonly ViewSeries[], other: readonly ViewSeries[]): ViewSeries[] {
  const remaining = [...other];
  return list.filter((series) => {
    const at = remaining.findIndex((each) => same(series, each));
    if (at >= 0) remaining.splice(at, 1);
    return at < 0;
  });
}

/** The change of one series at its position. */
function changedWords(before: ViewSeries, after: ViewSeries, at: number): Step {
  if (before.query !== after.query || before.typed !== after.typed) {
    const name = nameOf({ ...after, query: before.query || after.query });
    return { words: `changed the query of ${name}`, kind: `query:${at}` };
  }
  if (before.label !== after.label) {
    return { words: `renamed ${nameOf(before)} to ${nameOf(after)}`, kind: `label:${at}` };
  }
  const rest = (series: ViewSeries): ViewSeries => ({ ...series, hidden: false });
  if (!same(rest(before), rest(after))) return { words: `changed ${nameOf(after)}`, kind: '' };
  return { words: `${after.hidden ? 'hid' : 'showed'} ${nameOf(after)}`, kind: '' };
}

/** The change of several series at their positions. */
function manyWords(before: readonly ViewSeries[], after: readonly ViewSeries[]): string {
  const shown = after.filter(({ hidden }) => !hidden);
  const alike = after.every((series, i) =>
    same({ ...series, hidden: before[i]?.hidden }, before[i]),
  );
  if (!alike) return 'changed several series';
  const [only] = shown;
  if (shown.length === after.length) return 'showed all series';
  return shown.length === 1 && only
    ? `showed ${nameOf(only)} alone`
    : 'hid or showed several series';
}

/** Series that were added or removed together. */
function allOf(list: readonly ViewSeries[]): string {
  const [only] = list;
  const words = list.length === 1 && only ? nameOf(only) : plural(list.length, 'series', 'series');
  return list.every(({ file }) => file !== undefined) ? `${words} from a file` : words;
}

/** A series without its colour. */
const plain = (series: ViewSeries): ViewSeries => omit(series, 'style');

function seriesStep(before: readonly ViewSeries[], after: readonly ViewSeries[]): Step | null {
  if (same(before, after)) return null;
  const gone = without(before, after);
  const come = without(after, before);
  const [first] = come;
  const [last] = gone;
  if (gone.length === 0 && first) {
    const typed = come.length === 1 && first.file === undefined;
    return { words: `added ${allOf(come)}`, kind: typed ? `query:${after.indexOf(first)}` : '' };
  }
  if (come.length === 0 && last) return { words: `removed ${allOf(gone)}`, kind: '' };
  if (come.length === 0) return { words: 'reordered the series', kind: '' };
  if (before.length !== after.length) return { words: 'changed the list of series', kind: '' };
  const places = after.flatMap((series, i) => (same(series, before[i]) ? [] : [i]));
  const [place = 0] = places;
  const [a, b] = [before[place], after[place]];
  if (places.length === 1 && a && b) return changedWords(a, b, place);
  return { words: manyWords(before, after), kind: '' };
}

const nounOf = ({ campaign }: BoardState['notes'][number]): string =>
  campaign ? 'campaign' : 'note';

function notesStep(before: BoardState['notes'], after: BoardState['notes']): Step | null {
  if (same(before, after)) return null;
  const come = after.filter(({ id }) => !before.some((note) => note.id === id));
  const gone = before.filter(({ id }) => !after.some((note) => note.id === id));
  const [first] = come;
  const [last] = gone;
  if (first && gone.length === 0 && come.length === 1) {
    return { words: `added the ${nounOf(first)} ${quoted(first.text)}`, kind: `note:${first.id}` };
  }
  if (last && come.length === 0 && gone.length === 1) {
    return { words: `removed the ${nounOf(last)} ${quoted(last.text)}`, kind: '' };
  }
  const changed = after.filter(
    (note) =>
      !same(
        note,
        before.find(({ id }) => id === note.id),
      ),
  );
  const [note] = changed;
  if (come.length > 0 || gone.length > 0 || changed.length !== 1 || !note) {
    const all = [...come, ...gone, ...changed];
    const nouns = new Set(all.map((each) => `${nounOf(each)}s`));
    return { words: `changed the ${[...nouns].sort().join(' and ')}`, kind: '' };
  }
  const was = before.find(({ id }) => id === note.id);
  const verb = same({ ...note, start: was?.start, end: was?.end }, was) ? 'moved' : 'changed';
  return { words: `${verb} the ${nounOf(note)} ${quoted(note.text)}`, kind: `note:${note.id}` };
}

function kindsStep(before: readonly string[], after: readonly string[]): Step | null {
  const [was, is] = [onKinds(before), onKinds(after)];
  const names = (kinds: readonly EventKind[]): string =>
    kinds.map((kind) => KIND_FACTS[kind].many.toLowerCase()).join(', ');
  const off = was.filter((kind) => !is.includes(kind));
  const on = is.filter((kind) => !was.includes(kind));
  if (off.length + on.length === 0) return null;
  return { words: off.length > 0 ? `hid ${names(off)}` : `showed ${names(on)}`, kind: '' };
}

const KEY_WORDS: Partial<Record<keyof View, string>> = {
  endpoint: 'window',
  weekStart: 'first day of the week',
  rows: 'scale of the rows',
  zone: 'time zone',
  trendline: 'trend line',
};

/** All other changes of the view: the key, and its new value. */
function otherSteps(before: View, after: View): Step[] {
  const own = new Set(['source', 'series', 'range', 'zoom', 'events', 'board', 'tab']);
  const keys = new Set([...Object.keys(before), ...Object.keys(after)] as (keyof View)[]);
  return [...keys].flatMap((key) => {
    if (own.has(key) || same(before[key], after[key])) return [];
    const name = KEY_WORDS[key] ?? key;
    const value = after[key];
    const named = key === 'comparison' && typeof value === 'string' ? parseNamed(value) : undefined;
    const to = named
      ? earlierWords(named.earlier, named.periods)
      : key === 'zone'
        ? zoneCity(after.zone ?? '')
        : value;
    const change = typeof to === 'string' && to !== '' ? ` to ${to}` : '';
    return [{ words: `${name} changed${change}`, kind: '' }];
  });
}

/**
 * The step that one change of the board made.
 *
 * @param boardName - The name of a saved board; null if unknown.
 * @returns Null if at most the tab changed.
 */
export function stepBetween(
  before: BoardState,
  after: BoardState,
  boardName: (id: string) => string | null,
): Step | null {
  const [{ view: a }, { view: b }] = [parseView(before.view), parseView(after.view)];
  const steps = [
    seriesStep((a.series ?? []).map(plain), (b.series ?? []).map(plain)),
    notesStep(before.notes, after.notes),
    kindsStep(a.events ?? [], b.events ?? []),
  ].filter((step) => step !== null);
  const wider = !same(a.range, b.range);
  const moved = a.source !== b.source;
  const others = otherSteps(a, b);
  const any = steps.length + others.length > 0 || wider || moved || !same(a.zoom, b.zoom);
  if (before.board !== after.board && any) {
    const name = after.board === null ? null : boardName(after.board);
    const words = after.board === null ? 'started a new board' : `opened ${cut(name ?? 'a board')}`;
    return { words, kind: '' };
  }
  // Another source or range also resets the resolution and the zoom.
  if (moved) {
    const words = `source changed to ${b.source ? SOURCE_WORDS[b.source] : 'another'}`;
    return { words, kind: '' };
  }
  if (wider) steps.push({ words: rangeWords(b.range), kind: '' });
  else {
    steps.push(...others);
    if (!same(a.zoom, b.zoom)) {
      steps.push({ words: b.zoom ? 'zoomed' : 'showed the whole range', kind: 'zoom' });
    }
  }
  const [only] = steps;
  if (!only) return null;
  if (steps.length === 1) return only;
  return {
    words: steps.length === 2 ? steps.map(({ words }) => words).join(', ') : 'went to another view',
    kind: '',
  };
}
