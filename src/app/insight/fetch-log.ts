import type { Formatter } from '#app/format/formatter.ts';
import type { SeriesStyle } from '#app/ui/series-style.ts';
import type { Purpose, StoredReceipt } from '#app/counts/cache/records.ts';
import { wordsOf } from '#app/counts/fetch/faults.ts';
import { usd } from '#core/counts/price.ts';
import { STATE, STATES, type Curve, type State } from '#core/series/series.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';

/** What the ledger uses of a run. */
export interface LedgerRun {
  readonly phase: string;
  readonly key: string;
  readonly curve: Curve | null;
  readonly probeOffer: object | null;
  audit(windows: number): Promise<void>;
  probe(): Promise<void>;
  rebuy(): Promise<void>;
}

/** One series as the ledger is given it. */
export interface LedgerSeries {
  readonly id: number;
  readonly name: string;
  readonly style: SeriesStyle;
  readonly curve: Curve | null;
  readonly run: LedgerRun;
}

/** The receipts of a series of the cache, newest first. */
export type Receipts = (key: string) => Promise<readonly StoredReceipt[]>;

/** A stretch of one state. */
export interface Stretch extends Span {
  readonly state: State;
}

/** What a state is called in the ledger. */
export const STATE_WORDS: Readonly<Record<State, string>> = {
  settled: 'settled',
  provisional: 'may still change',
  partial: 'not over yet, or cut',
  failed: 'failed',
  uncovered: 'no data',
  never: 'never asked',
};

/** What is known of a curve up to now, as stretches of one state, ascending. */
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

/** The states that occur, best first, with the part of the time each holds. */
export function sharesOf(stretches: readonly Stretch[]): { state: State; share: number }[] {
  const total = stretches.reduce((sum, { start, end }) => sum + end - start, 0);
  return STATES.toReversed().flatMap((state) => {
    const held = stretches.filter((one) => one.state === state);
    const ms = held.reduce((sum, { start, end }) => sum + end - start, 0);
    return ms > 0 ? [{ state, share: ms / total }] : [];
  });
}

/** How many stretches are named before the rest is counted. */
const NAMED = 4;

/** The strip in words: `settled 93 %, never asked 7 % (2 – 8 Mar 2026)`. */
export function coverageWords(stretches: readonly Stretch[], words: Formatter): string {
  const said = sharesOf(stretches).map(({ state, share }) => {
    const name = `${STATE_WORDS[state]} ${words.share(share)}`;
    if (state === 'settled' || share === 1) return name;
    const spans = stretches.filter((one) => one.state === state).map((one) => words.span(one));
    const more = spans.length > NAMED ? ` and ${spans.length - NAMED} more` : '';
    return `${name} (${spans.slice(0, NAMED).join('; ')}${more})`;
  });
  return said.length > 0 ? said.join(', ') : 'nothing of this range has begun';
}

/** What a series comes to in the ledger. */
export interface LedgerFigures {
  /** Days of the view up to now, and how many of them are known whole; parts of days count as parts. */
  readonly days: number;
  readonly owned: number;
  readonly pages: number;
  /** Pages that cost nothing: the service held them. */
  readonly held: number;
  readonly paid: number;
  /** What may have been billed besides, for requests to which no whole answer came. */
  readonly perhaps: number;
  /** When the oldest and the newest of the counts shown were fetched; null where there is none. */
  readonly oldest: number | null;
  readonly newest: number | null;
}

export function figuresOf(
  curve: Curve,
  receipts: readonly Pick<StoredReceipt, 'price' | 'uncertain'>[],
  now: number,
): LedgerFigures {
  let known = 0;
  let all = 0;
  for (const { state, start, end } of stretchesOf(curve, now)) {
    all += end - start;
    if (STATE[state] >= STATE.partial) known += end - start;
  }
  let oldest: number | null = null;
  let newest: number | null = null;
  for (const at of curve.fetchedAt) {
    if (Number.isNaN(at)) continue;
    oldest = Math.min(oldest ?? at, at);
    newest = Math.max(newest ?? at, at);
  }
  const answers = receipts.filter(({ uncertain }) => uncertain === undefined);
  const held = answers.filter((one) => one.price === 0).length;
  const paid = usd(answers.reduce((sum, one) => sum + one.price, 0));
  const perhaps = usd(receipts.reduce((sum, { uncertain = 0 }) => sum + uncertain, 0));
  return {
    days: Math.ceil(all / DAY_MS),
    owned: known === all ? Math.ceil(all / DAY_MS) : Math.floor(known / DAY_MS),
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
 * fetched …`.
 *
 * @param read - Whether the receipts were read yet.
 */
export function figureWords(
  figures: LedgerFigures,
  priced: boolean,
  read: boolean,
  words: Formatter,
): string {
  const { days, owned, pages, held, paid, perhaps, oldest, newest } = figures;
  const out = [
    `${words.count(owned)} of ${words.count(days)} ${days === 1 ? 'day' : 'days'} known`,
  ];
  if (read) {
    const some = priced && held > 0 && pages > 0 ? `, ${words.count(held)} of them held` : '';
    out.push(`${words.count(pages)} ${pages === 1 ? 'page' : 'pages'}${some}`);
    const more = perhaps > 0 ? `, perhaps ${words.money(perhaps)} more` : '';
    if (priced) out.push(`${words.money(paid)} paid${more}`);
  }
  if (oldest !== null && newest !== null) {
    const [from, to] = [words.moment(oldest), words.moment(newest)];
    out.push(from === to ? `fetched ${to}` : `fetched from ${from} to ${to}`);
  }
  return out.join(' · ');
}

const PURPOSE: Readonly<Record<Purpose, string>> = {
  count: '',
  again: 'Asked again, as the first answer was not believed.',
  audit: 'Compared at random.',
  probe: 'Compared across the change of the index.',
};

/** One receipt as the list shows it. */
export interface ReceiptLine {
  readonly id: string;
  readonly when: string;
  readonly span: string;
  readonly asked: string;
  readonly total: string;
  /** `held` where the service had it; `perhaps $0.01` where no answer came; empty of own posts, which cost nothing. */
  readonly price: string;
  /** False where nothing of the page is shown. */
  readonly believed: boolean;
  /** What it was for, what was noted, what it contradicts: a sentence each. */
  readonly notes: readonly string[];
}

/** Contradicted counts that are told one by one. */
const REVISIONS = 3;

/** `2024-03-05: 4,929 then, 4,930 on 2026-11-21`, the first of them. */
function revisionNotes({ revisions, granularity, at }: StoredReceipt, words: Formatter): string[] {
  const day = granularity === 'day';
  const said = revisions
    .slice(0, REVISIONS)
    .map(
      ({ start, was, now }) =>
        `${day ? words.date(start) : words.moment(start)}: ${words.count(was)} then, ${words.count(now)} on ${words.date(at)}.`,
    );
  const rest = revisions.length - said.length;
  if (rest > 0) said.push(`${words.count(rest)} more counts differ. The first ones stay shown.`);
  return said;
}

/** A request to which no whole answer came, in words. */
function uncertainLine(one: StoredReceipt, money: number, words: Formatter): ReceiptLine {
  const { start, end } = one.asked;
  return {
    id: one.id,
    when: words.moment(one.at),
    span: words.span({ start, end: end ?? Math.max(start, one.at) }, 'UTC'),
    asked: `${one.endpoint === 'all' ? 'archive' : 'recent'}, ${one.granularity}s`,
    total: '',
    price: `perhaps ${words.money(money)}`,
    believed: false,
    notes: ['No whole answer came. The platform may have billed it all the same.'],
  };
}

/** A receipt in words. */
export function receiptLine(one: StoredReceipt, priced: boolean, words: Formatter): ReceiptLine {
  if (one.uncertain !== undefined) return uncertainLine(one, one.uncertain, words);
  const refused = !one.kept && one.noted.length > 0;
  const notes = [PURPOSE[one.purpose]].filter(Boolean);
  if (refused) notes.push('Not believed, nothing of it is shown.');
  notes.push(...one.noted.map((fault) => `${wordsOf(fault)}.`));
  const compared = one.purpose === 'audit' || one.purpose === 'probe';
  if (compared && !refused && one.revisions.length === 0)
    notes.push('Every settled count is the same.');
  notes.push(...revisionNotes(one, words));
  return {
    id: one.id,
    when: words.moment(one.at),
    span: words.span(one.told, 'UTC'),
    asked: `${one.endpoint === 'all' ? 'archive' : 'recent'}, ${one.granularity}s`,
    total: words.count(one.total),
    price: !priced ? '' : one.price > 0 ? words.money(one.price) : 'held',
    believed: !refused,
    notes,
  };
}

/** Differences that deletions alone make (ledger rule 15): so many Posts or this share, whichever is more. */
const DRIFT = { posts: 2, share: 0.02 };

/**
 * What the last comparison across a change of the index told; null where there was none.
 *
 * @param receipts - Newest first.
 */
export function probeVerdict(
  receipts: readonly StoredReceipt[],
  words: Formatter,
): { readonly same: boolean; readonly text: string } | null {
  const probe = receipts.find((one) => one.purpose === 'probe');
  if (!probe || (!probe.kept && probe.noted.length > 0)) return null;
  const { revisions, told, total, at } = probe;
  const from = `${words.span(told, 'UTC')}, fetched again on ${words.date(at)}:`;
  const byBucket =
    'As far as this tells, the change goes by the date of the bucket: counts before it compare with each other whenever they were fetched.';
  if (revisions.length === 0) {
    return {
      same: true,
      text: `${from} every count is as it was under the index before. ${byBucket}`,
    };
  }
  const moved = revisions.reduce((sum, { was, now }) => sum + Math.abs(now - was), 0);
  const differ = `${words.count(revisions.length)} ${revisions.length === 1 ? 'count differs' : 'counts differ'}, by ${words.count(moved)} ${moved === 1 ? 'Post' : 'Posts'} in all`;
  if (moved <= Math.max(DRIFT.posts, DRIFT.share * total)) {
    return { same: true, text: `${from} ${differ}, no more than deletions make. ${byBucket}` };
  }
  return {
    same: false,
    text: `${from} ${differ}. The change goes by the date of fetching: do not compare what was fetched before it with what was fetched after.`,
  };
}
