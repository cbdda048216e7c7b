import type { CountsEndpoint } from '#contract/counts.ts';
import { SOURCE_IDS, type SourceId } from '#contract/source.ts';
import { PRESETS } from '#core/time/preset.ts';
import { RESOLUTIONS, type Resolution, type WeekStart } from '#core/time/resolution.ts';
import type { Span } from '#core/time/span.ts';
import type { ViewRange } from './range.ts';

/** One query of a view, as the address holds it. `label` is empty where the query names itself. */
export interface ViewSeries {
  readonly query: string;
  readonly label: string;
  readonly hidden: boolean;
}

export const TABS = ['summary', 'table', 'ledger'] as const;
export type Tab = (typeof TABS)[number];

/** Everything that makes one picture; what is absent is for the board to choose. */
export interface View {
  readonly source?: SourceId;
  readonly series?: readonly ViewSeries[];
  readonly range?: ViewRange;
  readonly zone?: string;
  readonly resolution?: Resolution;
  readonly endpoint?: CountsEndpoint;
  readonly weekStart?: WeekStart;
  readonly zoom?: Span;
  readonly tab?: Tab;
  /** Which saved board is open. */
  readonly board?: string;
  /** Names of the lanes that are switched off. */
  readonly lanesHidden?: readonly string[];
}

/** Whether the browser knows a time zone by this name. */
export function isZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

const ISO_MINUTE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/;

function oneOf<T extends string>(list: readonly T[], value: string): T | undefined {
  return list.find((item) => item === value);
}

function parseZoom(text: string): Span | undefined {
  const [from = '', to = '', ...rest] = text.split('/');
  if (rest.length > 0 || !ISO_MINUTE.test(from) || !ISO_MINUTE.test(to)) return undefined;
  const [start, end] = [Date.parse(from), Date.parse(to)];
  return start < end ? { start, end } : undefined;
}

/**
 * Reads a view from the part of an address after `#`.
 *
 * Never throws: what cannot be read is left out and named in `problems`, one sentence each; unknown keys are
 * kept quiet, so that addresses of later versions open.
 */
export function parseView(fragment: string): { view: View; problems: string[] } {
  const problems: string[] = [];
  const view: { -readonly [K in keyof View]: View[K] } = {};
  const series: { query: string; label: string; hidden: boolean }[] = [];
  let from: string | undefined;
  let to: string | undefined;
  const take = <T>(key: string, value: string, read: T | undefined): T | undefined => {
    if (read === undefined) problems.push(`“${value}” is not a ${key} this page knows.`);
    return read;
  };
  const set = <K extends keyof View>(key: K, value: View[K] | undefined): void => {
    if (value !== undefined) view[key] = value;
  };
  for (const [key, value] of new URLSearchParams(fragment.replace(/^#/, ''))) {
    const last = series.at(-1);
    if (key === 'q') series.push({ query: value, label: '', hidden: false });
    else if (key === 'name' && last) last.label = value;
    else if (key === 'hidden' && last) last.hidden = true;
    else if (key === 'source') set('source', take('source', value, oneOf(SOURCE_IDS, value)));
    else if (key === 'range') {
      const preset = take('range', value, oneOf(PRESETS, value));
      if (preset) set('range', { preset });
    } else if (key === 'from') from = value;
    else if (key === 'to') to = value;
    else if (key === 'zone')
      set('zone', take('time zone', value, isZone(value) ? value : undefined));
    else if (key === 'by') set('resolution', take('resolution', value, oneOf(RESOLUTIONS, value)));
    else if (key === 'window') {
      set('endpoint', take('window', value, oneOf(['recent', 'all'] as const, value)));
    } else if (key === 'week') {
      set(
        'weekStart',
        take('first day of the week', value, value === '1' ? 1 : value === '7' ? 7 : undefined),
      );
    } else if (key === 'zoom') set('zoom', take('zoom', value, parseZoom(value)));
    else if (key === 'tab') set('tab', take('tab', value, oneOf(TABS, value)));
    else if (key === 'board' && value) view.board = value;
    else if (key === 'lanes') {
      const hidden = value.split(',').flatMap((lane) => /^-(.+)$/.exec(lane)?.[1] ?? []);
      if (hidden.length > 0) view.lanesHidden = hidden;
    }
  }
  if (from !== undefined && to !== undefined) view.range = { from, to };
  else if (from !== undefined || to !== undefined) {
    problems.push('A range of your own needs both a beginning and an end.');
  }
  if (series.length > 0) view.series = series;
  return { view, problems };
}

/** An instant as the address holds it: to the minute, or to the second where it needs that. */
function instantText(at: number): string {
  const iso = new Date(at).toISOString();
  return iso.slice(17, 19) === '00' ? `${iso.slice(0, 16)}Z` : `${iso.slice(0, 19)}Z`;
}

/** The part of an address after `#` that {@link parseView} reads back to the same view. */
export function formatView(view: View): string {
  const out = new URLSearchParams();
  if (view.source) out.append('source', view.source);
  if (view.range) {
    if ('preset' in view.range) out.append('range', view.range.preset);
    else {
      out.append('from', view.range.from);
      out.append('to', view.range.to);
    }
  }
  if (view.zone) out.append('zone', view.zone);
  if (view.resolution) out.append('by', view.resolution);
  if (view.endpoint) out.append('window', view.endpoint);
  if (view.weekStart) out.append('week', String(view.weekStart));
  if (view.zoom)
    out.append('zoom', `${instantText(view.zoom.start)}/${instantText(view.zoom.end)}`);
  if (view.tab) out.append('tab', view.tab);
  if (view.board) out.append('board', view.board);
  if (view.lanesHidden?.length) {
    out.append('lanes', view.lanesHidden.map((lane) => `-${lane}`).join(','));
  }
  for (const one of view.series ?? []) {
    out.append('q', one.query);
    if (one.label) out.append('name', one.label);
    if (one.hidden) out.append('hidden', '1');
  }
  return out.toString().replaceAll('%2F', '/').replaceAll('%3A', ':');
}
