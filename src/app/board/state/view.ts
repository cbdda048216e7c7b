import {
  FORMS,
  ROW_SCALES,
  SCALES,
  type Comparison,
  type Form,
  type RowScale,
  type Scale,
  type Trend,
} from '#app/chart/draw/form.ts';
import { isZone } from '#core/time/zone-name.ts';
import type { Target } from '#app/chart/chart-props.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import { fragmentOf, instantText } from '#core/format/view-address.ts';
import { namedPeriods, parseNamed, parsePeriod, periodText } from '#core/series/comparison.ts';
import type { SourceId } from '#contract/counts/source.ts';
import { SOURCE_IDS } from '#contract/counts/source-ids.ts';
import { PRESETS } from '#core/time/presets.ts';
import { RESOLUTIONS, type Resolution, type WeekStart } from '#core/time/resolution.ts';
import type { Span } from '#core/time/span.ts';
import { parseViewFormula, viewFormulaText, type ViewFormula } from './formula.ts';
import type { ViewRange } from '#core/time/range.ts';

/** One series of a view, as the address holds it. `label` is empty if the query or formula serves as the name. */
export interface ViewSeries {
  /** Empty if it is computed, from a file, or never loaded. */
  readonly query: string;
  /** Typed text that has not loaded yet; absent if it equals the query. */
  readonly typed?: string;
  readonly label: string;
  /** True if the label was made for this query, not chosen by the user: it goes when the query changes. */
  readonly derived?: boolean;
  readonly hidden: boolean;
  readonly formula?: ViewFormula;
  /** The `fixedKey` of a series read from a file; its counts are stored elsewhere. */
  readonly file?: string;
  /** Number of its colour, dash and marker, from 1; absent if that is its position in the list. */
  readonly style?: number;
}

export const TABS = [
  'summary',
  'peaks',
  'discover',
  'heat',
  'calendar',
  'events',
  'table',
  'ledger',
] as const;
export type Tab = (typeof TABS)[number];

/** Everything that determines what a board shows; the board chooses what is absent. */
export interface View {
  readonly source?: SourceId;
  readonly series?: readonly ViewSeries[];
  readonly range?: ViewRange;
  readonly zone?: string;
  readonly resolution?: Resolution;
  readonly endpoint?: CountsEndpoint;
  readonly weekStart?: WeekStart;
  readonly zoom?: Span;
  /** The resolution of a zoom, if the user chose one. */
  readonly fine?: Resolution | 'off';
  readonly form?: Form;
  readonly rows?: RowScale;
  readonly scale?: Scale;
  readonly trend?: Trend;
  readonly comparison?: Comparison;
  readonly peaks?: boolean;
  readonly forecast?: boolean;
  readonly trendline?: boolean;
  readonly target?: Target;
  readonly live?: boolean;
  /** The span shown in the drawer, and the position of its series, 1-based. */
  readonly picked?: { readonly span: Span; readonly of: number };
  readonly tab?: Tab;
  /** Id of the saved board that is open. */
  readonly board?: string;
  /** The kinds of events that the user switched, see `KindSwitches`. */
  readonly events?: readonly string[];
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

const MOST_AVERAGED = 1_000;

function parseTrend(text: string): Trend | undefined {
  if (text === 'cumulative' || text === 'index') return { kind: text };
  const [, kind, number = ''] = /^(average|per)-(\d{1,4})$/.exec(text) ?? [];
  const n = Number(number);
  if (kind === 'average') return n >= 2 && n <= MOST_AVERAGED ? { kind, buckets: n } : undefined;
  return kind === 'per' && n >= 1 ? { kind, of: n } : undefined;
}

function trendText(trend: Trend): string {
  if (trend.kind === 'average') return `average-${trend.buckets}`;
  return trend.kind === 'per' ? `per-${trend.of}` : trend.kind;
}

/** A number above zero, then a label if there is one. */
function parseTarget(text: string): Target | undefined {
  const [, number, unit = '', label = ''] =
    /^(\d{1,12}(?:\.\d{1,6})?)(?:\/([a-z]+))?(?: (.{1,60}))?$/.exec(text) ?? [];
  const per = oneOf(RESOLUTIONS, unit);
  if (!(Number(number) > 0) || (unit && !per)) return undefined;
  return { value: Number(number), label, ...(per && { per }) };
}

function parseComparison(text: string): Comparison | undefined {
  const named = parseNamed(text);
  if (named) return namedPeriods(named.earlier, named.periods);
  return text === 'none' ? text : parsePeriod(text);
}

function parsePicked(text: string): View['picked'] {
  const [, of = '', from = '', to = ''] = /^(\d{1,4})@([^/]+)\/([^/]+)$/.exec(text) ?? [];
  const span = parseZoom(`${from}/${to}`);
  return span && Number(of) >= 1 ? { span, of: Number(of) } : undefined;
}

/**
 * Reads a view from the part of an address after `#`.
 *
 * Never throws: what cannot be read is omitted and gets a sentence in `problems`. Unknown keys are ignored, so
 * that addresses from later versions open.
 */
export function parseView(fragment: string): { view: View; problems: string[] } {
  const problems: string[] = [];
  const view: { -readonly [K in keyof View]: View[K] } = {};
  const series: { -readonly [K in keyof ViewSeries]: ViewSeries[K] }[] = [];
  let from: string | undefined;
  let to: string | undefined;
  const take = <T>(key: string, value: string, read: T | undefined): T | undefined => {
    if (read === undefined) problems.push(`“${value}” is not a known ${key}.`);
    return read;
  };
  const set = <K extends keyof View>(key: K, value: View[K] | undefined): void => {
    if (value !== undefined) view[key] = value;
  };
  for (const [key, value] of new URLSearchParams(fragment.replace(/^#/, ''))) {
    const last = series.at(-1);
    if (key === 'q') series.push({ query: value, label: '', hidden: false });
    else if (key === 'calc') {
      const formula = take('formula', value, parseViewFormula(value));
      // An unreadable formula still takes a position: other formulas refer to series by position.
      series.push({ query: '', label: '', hidden: false, ...(formula && { formula }) });
    } else if (key === 'file') {
      const file = take('file', value, /^[0-9a-f]{8}$/.test(value) ? value : undefined);
      series.push({ query: '', label: '', hidden: false, ...(file && { file }) });
    } else if (key === 'style' && last) {
      const style = take('style', value, /^[1-9]\d{0,3}$/.test(value) ? Number(value) : undefined);
      if (style) last.style = style;
    } else if (key === 'name' && last) last.label = value;
    else if (key === 'auto' && last) last.derived = true;
    else if (key === 'typed' && last) last.typed = value;
    else if (key === 'hidden' && last) last.hidden = true;
    else if (key === 'source') set('source', take('source', value, oneOf(SOURCE_IDS, value)));
    else if (key === 'range') {
      const preset = take('range', value, PRESETS.find(({ id }) => id === value)?.id);
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
    else if (key === 'fine') {
      set('fine', take('resolution', value, oneOf([...RESOLUTIONS, 'off'] as const, value)));
    } else if (key === 'form') set('form', take('form of chart', value, oneOf(FORMS, value)));
    else if (key === 'rows') set('rows', take('scale of rows', value, oneOf(ROW_SCALES, value)));
    else if (key === 'scale') set('scale', take('scale', value, oneOf(SCALES, value)));
    else if (key === 'trend') set('trend', take('trend', value, parseTrend(value)));
    else if (key === 'against') {
      set('comparison', take('comparison', value, parseComparison(value)));
    } else if (key === 'peaks') set(key, value !== 'off');
    else if (key === 'forecast' || key === 'trendline') set(key, value === 'on');
    else if (key === 'target') set('target', take('target', value, parseTarget(value)));
    else if (key === 'live') set('live', true);
    else if (key === 'at') set('picked', take('place in the chart', value, parsePicked(value)));
    else if (key === 'tab') set('tab', take('tab', value, oneOf(TABS, value)));
    else if (key === 'board' && value) view.board = value;
    else if (key === 'events') {
      const switched = value.split(',').filter((each) => /^[+-]./.test(each));
      if (switched.length > 0) view.events = switched;
    }
  }
  if (from !== undefined && to !== undefined) view.range = { from, to };
  else if (from !== undefined || to !== undefined) {
    problems.push('A custom range needs both a start and an end.');
  }
  if (series.length > 0) view.series = series;
  return { view, problems };
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
  if (view.fine) out.append('fine', view.fine);
  if (view.form) out.append('form', view.form);
  if (view.rows) out.append('rows', view.rows);
  if (view.scale) out.append('scale', view.scale);
  if (view.trend) out.append('trend', trendText(view.trend));
  const { comparison } = view;
  if (comparison) {
    out.append('against', typeof comparison === 'string' ? comparison : periodText(comparison));
  }
  if (view.peaks === false) out.append('peaks', 'off');
  for (const key of ['forecast', 'trendline'] as const) if (view[key]) out.append(key, 'on');
  const { target } = view;
  if (target)
    out.append(
      'target',
      `${target.value}${target.per ? `/${target.per}` : ''} ${target.label}`.trim(),
    );
  if (view.live) out.append('live', '1');
  if (view.tab) out.append('tab', view.tab);
  if (view.picked) {
    const { span, of } = view.picked;
    out.append('at', `${of}@${instantText(span.start)}/${instantText(span.end)}`);
  }
  if (view.board) out.append('board', view.board);
  if (view.events?.length) out.append('events', view.events.join(','));
  for (const series of view.series ?? []) {
    if (series.formula) out.append('calc', viewFormulaText(series.formula));
    else if (series.file) out.append('file', series.file);
    else out.append('q', series.query);
    if (series.typed !== undefined) out.append('typed', series.typed);
    if (series.label) out.append('name', series.label);
    if (series.label && series.derived) out.append('auto', '1');
    if (series.hidden) out.append('hidden', '1');
    if (series.style) out.append('style', String(series.style));
  }
  return fragmentOf(out);
}
