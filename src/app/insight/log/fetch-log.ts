import type { Formatter } from '#app/format/formatter.ts';
import type { SeriesStyle } from '#app/ui/series-style.ts';
import type { StoredReceipt } from '#app/counts/cache/records.ts';
import { usd } from '#core/counts/price.ts';
import { STATE, STATES, type Curve, type State } from '#core/series/series.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';

/** The part of a run that the fetch log uses. */
export interface LoggedRun {
  readonly phase: string;
  readonly key: string;
  readonly curve: Curve | null;
  readonly probeOffer: object | null;
  audit(windows: number): Promise<void>;
  probe(): Promise<void>;
  rebuy(): Promise<void>;
}

/** One series of the fetch log. */
export interface LoggedSeries {
  readonly id: number;
  readonly name: string;
  readonly style: SeriesStyle;
  readonly curve: Curve | null;
  readonly run: LoggedRun;
}

/** Reads the receipts of a cached series, newest first. */
export type Receipts = (key: string) => Promise<readonly StoredReceipt[]>;

/** A stretch of one state. */
interface Stretch extends Span {
  readonly state: State;
}

/** The names of states. */
export const STATE_WORDS: Readonly<Record<State, string>> = {
  settled: 'settled',
  provisional: 'may still change',
  partial: 'unfinished or cut off',
  failed: 'failed',
  uncovered: 'no data',
  never: 'never loaded',
};

/** Divides a curve up to now into stretches of one state, ascending. */
export function stretchesOf({ bounds, states }: Curve, now: number): Stretch[] {
  const out: { state: State; start: number; end: number }[] = [];
  for (let i = 0; i < states.length; i += 1) {
    const start = bounds[i] ?? 0;
    if (start >= now) break;
    const end = Math.min(now, bounds[i + 1] ?? start);
    const state = STATES[states[i] ?? 0] ?? 'never';
    const last = out.at(-1);
    if (last?.state === state) last.end = end;
    else out.push({ state, start, end });
  }
  return out;
}

/** The states that occur, best first, with their part of the time. */
export function sharesOf(stretches: readonly Stretch[]): { state: State; share: number }[] {
  const total = stretches.reduce((sum, { start, end }) => sum + end - start, 0);
  return STATES.toReversed().flatMap((state) => {
    const matching = stretches.filter((stretch) => stretch.state === state);
    const ms = matching.reduce((sum, { start, end }) => sum + end - start, 0);
    return ms > 0 ? [{ state, share: ms / total }] : [];
  });
}

/** The number of stretches that are named before the rest become a number. */
const NAMED = 4;

/** The strip in words: `settled 93 %, never asked 7 % (2 – 8 Mar 2026)`. */
export function coverageWords(stretches: readonly Stretch[], format: Formatter): string {
  const parts = sharesOf(stretches).map(({ state, share }) => {
    const name = `${STATE_WORDS[state]} ${format.share(share)}`;
    if (state === 'settled' || share === 1) return name;
    const spans = stretches
      .filter((stretch) => stretch.state === state)
      .map((stretch) => format.span(stretch));
    const more = spans.length > NAMED ? ` and ${spans.length - NAMED} more` : '';
    return `${name} (${spans.slice(0, NAMED).join('; ')}${more})`;
  });
  return parts.length > 0 ? parts.join(', ') : 'this range has not started yet';
}

/** The figures of a series in the fetch log. */
export interface LogFigures {
  /** Days of the view up to now, and how many of them are fully known. */
  readonly days: number;
  readonly known: number;
  readonly pages: number;
  /** Pages that cost nothing, because the service already had them. */
  readonly held: number;
  readonly paid: number;
  /** The further amount that may have been billed, for requests without a complete answer; USD. */
  readonly perhaps: number;
  /** The times at which the oldest and the newest counts shown were fetched, epoch ms; null if there are none. */
  readonly oldest: number | null;
  readonly newest: number | null;
}

export function figuresOf(
  curve: Curve,
  receipts: readonly Pick<StoredReceipt, 'price' | 'uncertain'>[],
  now: number,
): LogFigures {
  let knownMs = 0;
  let all = 0;
  for (const { state, start, end } of stretchesOf(curve, now)) {
    all += end - start;
    if (STATE[state] >= STATE.partial) knownMs += end - start;
  }
  let oldest: number | null = null;
  let newest: number | null = null;
  for (const at of curve.fetchedAt) {
    if (Number.isNaN(at)) continue;
    oldest = Math.min(oldest ?? at, at);
    newest = Math.max(newest ?? at, at);
  }
  const answers = receipts.filter(({ uncertain }) => uncertain === undefined);
  const held = answers.filter((answer) => answer.price === 0).length;
  const paid = usd(answers.reduce((sum, answer) => sum + answer.price, 0));
  const perhaps = usd(receipts.reduce((sum, { uncertain = 0 }) => sum + uncertain, 0));
  return {
    days: Math.ceil(all / DAY_MS),
    known: knownMs === all ? Math.ceil(all / DAY_MS) : Math.floor(knownMs / DAY_MS),
    pages: answers.length,
    held,
    paid,
    perhaps,
    oldest,
    newest,
  };
}

/**
 * The figures in a line: `1,034 of 1,097 days known · 36 pages, 2 of them held · $0.34 paid, perhaps $0.02 more ·
 * fetched…`.
 *
 * @param read - Whether the receipts have been read.
 */
export function figureWords(
  figures: LogFigures,
  priced: boolean,
  read: boolean,
  format: Formatter,
): string {
  const { days, known, pages, held, paid, perhaps, oldest, newest } = figures;
  const out = [`${format.count(known)} of ${format.counted(days, 'day')} known`];
  if (read) {
    const some = priced && held > 0 && pages > 0 ? `, ${format.count(held)} of them held` : '';
    out.push(`${format.counted(pages, 'page')}${some}`);
    const more = perhaps > 0 ? `, perhaps ${format.money(perhaps)} more` : '';
    if (priced) out.push(`${format.money(paid)} paid${more}`);
  }
  if (oldest !== null && newest !== null) {
    const [from, to] = [format.moment(oldest), format.moment(newest)];
    out.push(from === to ? `fetched ${to}` : `fetched from ${from} to ${to}`);
  }
  return out.join(' · ');
}
