import { countsParameters } from '#contract/counts/counts.ts';
import { readCountsPage } from '#contract/counts/counts-page.ts';
import { Fault } from '#contract/fault.ts';
import { BUDGET_REACHED, UNCERTAIN, type Buy } from '#contract/counts/platform.ts';
import type { Allowance } from '#core/counts/allowance.ts';
import { answerMeaning } from '#core/counts/answer.ts';
import { answeredCurve, knownByAnswers } from '#core/counts/answered-curve.ts';
import { CircuitBreaker } from '#core/counts/circuit-breaker.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import { headOf, reachOf, type Bounds } from '#core/counts/head.ts';
import type { ReportedCounts } from '#core/counts/ledger.ts';
import { daysToAsk } from '#core/counts/plan.ts';
import { moneyOf } from '#core/counts/price.ts';
import {
  boughtGranularity,
  boundsToSend,
  busyIn,
  fetchedDays,
  heldToTake,
  longestReach,
  pageLength,
  planRequests,
  windowSpan,
  type PlannedRequest,
  type RequestNeed,
} from '#core/counts/requests.ts';
import type { BucketView } from '#core/series/bucket-layout.ts';
import type { Curve } from '#core/series/series.ts';
import type { Granularity } from '#core/time/bucket.ts';
import { ARCHIVE_START, SECOND_MS, without, type Span } from '#core/time/span.ts';
import type { Machine } from '#server/machine.ts';
import { verdictOn, type CheckedAnswer } from './empty-answers.ts';
import { refusalOf } from '#server/platform/connection.ts';
import { randomText } from '#server/random.ts';
import { PlatformStop } from './platform-stop.ts';
import type { BoughtCounts } from '#server/platform/page-table.ts';
import type { PlatformPage, PlatformPages } from './platform-pages.ts';
import type { QueryTerms } from './platform-terms.ts';

/** Refusals of one request that pass, such as 429, after which buying ends. */
const MOST_BUSY = 6;
/** Statuses of refusals that pass. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

const USED_UP =
  'The approved requests are used up, because some had to be sent again. Run the command again for the rest.';

export interface PlatformSeriesDeps extends Pick<Machine, 'now' | 'random' | 'sleep'> {
  readonly pages: PlatformPages;
  readonly terms: QueryTerms;
  /** The beginning of the ids of its asks, by which their price can be summed up; absent for none. */
  readonly asks?: string;
}

/** Pages that were bought, whether or not their counts may still change. */
export interface BoughtPages {
  readonly list: (query: string, granularity: Granularity, span: Span) => readonly BoughtCounts[];
  readonly read: (page: BoughtCounts) => Promise<PlatformPage>;
}

/**
 * The page to read for the counts before an instant: one that reaches it, best with settled counts of that time, then
 * the longest; else the newest.
 */
function pageBefore(
  pages: Iterable<BoughtCounts>,
  instant: number,
  settleMs: number,
): BoughtCounts | null {
  let best: { readonly page: BoughtCounts; readonly rank: readonly number[] } | null = null;
  for (const page of pages) {
    if (page.start >= instant) continue;
    const isSettled = page.fetched >= instant + settleMs;
    const reached = Math.min(page.end ?? page.fetched, instant);
    const rank = [reached, isSettled ? 1 : 0, isSettled ? -page.start : page.fetched];
    const i = best ? rank.findIndex((each, k) => each !== best?.rank[k]) : 0;
    if (!best || (rank[i] ?? 0) > (best.rank[i] ?? 0)) best = { page, rank };
  }
  return best?.page ?? null;
}

/** An answer, or a wait before the next request of `waitMs`. */
export interface BuyingProgress {
  readonly waitMs: number;
}

/** A purchase in progress. */
export interface Buying {
  /** Shared by the series that are bought together. */
  readonly allowance: Allowance;
  readonly onProgress: (progress: BuyingProgress) => void;
  readonly signal: AbortSignal;
}

/** The request that is sent. */
interface Sent extends Bounds {
  readonly endpoint: CountsEndpoint;
  readonly granularity: Granularity;
}

/** The counts of one query from the platform: what the vault has, the plan for the rest, and its purchase. */
export class PlatformSeries {
  readonly #deps: PlatformSeriesDeps;
  readonly #query: string;
  readonly #view: Pick<BucketView, 'edges' | 'span' | 'granularity' | 'cut'>;
  /** Width of what is bought. */
  readonly #bought: Granularity;
  readonly #answers = new Map<Granularity, ReportedCounts[]>();
  readonly #empty: CheckedAnswer[] = [];
  readonly #failed: Span[] = [];
  readonly #breaker = new CircuitBreaker();
  /** Buckets of the shortest page, if it was shorter than requested. */
  #pageBuckets: number | null = null;
  #headRequested = false;
  #vouched = false;

  constructor(
    deps: PlatformSeriesDeps,
    query: string,
    view: Pick<BucketView, 'edges' | 'span' | 'granularity' | 'cut'>,
  ) {
    this.#deps = deps;
    this.#query = query;
    this.#view = view;
    this.#bought = boughtGranularity(view.granularity, true, false);
  }

  /** Takes the pages of the vault that cover needed days. Sends and spends nothing. */
  async takeHeld(signal: AbortSignal): Promise<void> {
    for (const granularity of this.#serving) {
      const days = daysToAsk(this.#need().look);
      if (days.length === 0) return;
      const held = await this.#deps.pages.held(this.#query, granularity);
      for (const { endpoint, start, end } of heldToTake(days, held)) {
        signal.throwIfAborted();
        const sent = { endpoint, granularity, start, end };
        const page = await this.#page(sent, 'no', this.#newAsk(), 0);
        if (page) this.#take(sent, page);
      }
    }
    this.#believeHeld();
  }

  /** Takes the pages that cover the view, few of them, and the newest of what is not settled. Sends and spends nothing. */
  async takeBought({ list, read }: BoughtPages, signal: AbortSignal): Promise<void> {
    const { settleMs } = this.#deps.terms;
    const view = { start: this.#view.span.start, end: Math.min(this.#view.span.end, this.#now()) };
    for (const granularity of this.#serving) {
      const known = knownByAnswers(this.#answers, settleMs).flat();
      const covered = known.map(({ from, to }) => ({ start: from, end: to }));
      for (const gap of without([view], covered)) {
        const pages = new Set(list(this.#query, granularity, gap));
        for (let to = gap.end; to > gap.start;) {
          const next = pageBefore(pages, to, settleMs);
          if (!next) break;
          pages.delete(next);
          const taken = this.#take({ ...next, granularity }, { ...(await read(next)), held: true });
          signal.throwIfAborted();
          if (taken) to = Math.min(to, taken.start);
        }
      }
    }
    this.#believeHeld();
  }

  /** The end of the newest counts that are known; -Infinity for none. */
  get until(): number {
    const ends = [...this.#answers.values()].flat().map(({ end }) => end);
    return Math.max(-Infinity, ...ends);
  }

  /** The requests that are still needed, newest first. */
  plan(): PlannedRequest[] {
    return planRequests(this.#need());
  }

  /** UTC days that the platform covers in the view, and how many of them need no request. */
  days(): { days: number; fetched: number } {
    return fetchedDays(this.#need());
  }

  /** Price of the plan, USD. */
  price(): number {
    return moneyOf(this.plan(), this.#deps.terms.prices);
  }

  /**
   * Buys what the plan needs, within an allowance, planning again after every answer. A request in flight is finished
   * by the relay and stored even if the signal aborts meanwhile.
   *
   * @throws {@link PlatformStop} where nothing more can be bought: a cap is reached, or the platform refuses.
   * @throws The signal's reason when aborted.
   */
  async buy(buying: Buying): Promise<void> {
    for (;;) {
      buying.signal.throwIfAborted();
      const [next] = this.plan();
      if (!next) {
        if (!(await this.#confirm(buying))) return;
        continue;
      }
      const bounds = boundsToSend(next, this.#now(), this.#bought, this.#pageBuckets);
      if (!bounds || !this.#breaker.countWindow(next)) this.#failed.push(windowSpan(next));
      else {
        const sent = { ...bounds, endpoint: next.endpoint, granularity: this.#bought };
        await this.#fetch(sent, null, buying);
      }
    }
  }

  /** The curve that is known now. */
  curve(): Curve {
    const { settleMs } = this.#deps.terms;
    const covered = [{ start: ARCHIVE_START, end: Infinity }];
    const limits = { reach: this.#reach(), covered, failed: this.#missing, settleMs };
    return answeredCurve(this.#view, this.#answers, limits);
  }

  /** The widths of counts that serve the view, the coarsest first. */
  get #serving(): readonly Granularity[] {
    return this.#bought === 'hour' ? ['hour', 'minute'] : ['minute'];
  }

  /** The spans that were requested without an answer that is accepted. */
  get #missing(): Span[] {
    return [...this.#failed, ...this.#empty.map(({ reported }) => reported)];
  }

  /** The platform's time. */
  #now(): number {
    return this.#deps.now() + this.#deps.terms.clockSkewMs;
  }

  #reach(): Span {
    const { endpoints } = this.#deps.terms;
    return reachOf(longestReach(endpoints), this.#now(), this.#bought);
  }

  #need(): RequestNeed {
    const { endpoints, prices, settleMs } = this.#deps.terms;
    const now = this.#now();
    return {
      look: {
        view: this.#view.span,
        reach: this.#reach(),
        now,
        settleNow: Math.min(now, this.#deps.now()),
        known: knownByAnswers(this.#answers, settleMs),
        freshMs: this.#headRequested ? Infinity : 0,
        settleMs,
      },
      granularity: this.#bought,
      endpoints,
      prices,
      ...pageLength(this.#pageBuckets, this.#bought),
      ...busyIn(this.#missing),
      // A longer one would only be compared with settled counts, which nothing here stores.
      fullHeadToday: true,
    };
  }

  #newAsk(): string {
    return (this.#deps.asks ?? '') + randomText(this.#deps.random, 18);
  }

  #page(
    { endpoint, granularity, ...bounds }: Sent,
    buy: Buy | null,
    ask: string,
    known: number,
  ): Promise<PlatformPage | null> {
    const parameters = countsParameters(this.#query, granularity, bounds);
    return this.#deps.pages.page({ product: 'counts', endpoint, parameters, ask, buy, known });
  }

  /** Buys a page, and once more if it fails its check. Notes its span as failed if that is all that can be done. */
  async #fetch(sent: Sent, buy: Buy | null, buying: Buying): Promise<void> {
    const span = { start: sent.start, end: sent.end ?? headOf(this.#now()).end };
    for (let how = buy; ; how = 'instead') {
      const page = await this.#sendWithin(sent, how, buying);
      if (!page) {
        this.#failed.push(span);
        return;
      }
      const refusal = refusalOf(page);
      if (refusal !== null) throw new PlatformStop(`The platform refused the request. ${refusal}`);
      if (sent.end === null) this.#headRequested = true;
      if (this.#take(sent, page)) {
        this.#breaker.succeeded();
        return;
      }
      if (this.#breaker.countRefused(sent)) break;
    }
    this.#failed.push(span);
    if (!this.#breaker.failed()) return;
    throw new PlatformStop('The platform’s answers fail their check, so no more are bought.');
  }

  /**
   * Sends a request until it gets a complete answer.
   *
   * @returns Null if too many requests got no complete answer.
   * @throws {@link PlatformStop} if the allowance is used up, a cap is reached, or the relay refuses.
   */
  async #sendWithin(sent: Sent, buy: Buy | null, buying: Buying): Promise<PlatformPage | null> {
    const { allowance, onProgress, signal } = buying;
    const ask = this.#newAsk();
    let busy = 0;
    for (let lost = 0; ;) {
      if (!allowance.take()) throw new PlatformStop(USED_UP);
      signal.throwIfAborted();
      try {
        const page = await this.#page(sent, buy, ask, lost);
        if (!page) throw new RangeError('expected a page that may be bought, got none');
        if (page.held || page.status !== 200) allowance.release();
        if (PASSING.has(page.status) && busy < MOST_BUSY) {
          busy += 1;
          await this.#pause(SECOND_MS * 2 ** busy, buying);
          continue;
        }
        onProgress({ waitMs: 0 });
        return page;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        if (error.body[UNCERTAIN] === true) {
          lost += 1;
          if (this.#breaker.countLost(sent)) return null;
          continue;
        }
        allowance.release();
        const waitMs = this.#waitOf(error);
        if (waitMs === null) throw new PlatformStop(error.message);
        await this.#pause(waitMs, buying);
      }
    }
  }

  async #pause(waitMs: number, { onProgress, signal }: Buying): Promise<void> {
    onProgress({ waitMs });
    await this.#deps.sleep(waitMs, signal);
  }

  /** The time that an empty pool of requests needs to fill; null for any other fault. */
  #waitOf({ status, body, headers }: Fault): number | null {
    if (status !== 429 || body.type === BUDGET_REACHED) return null;
    const reset = Number(headers['x-rate-limit-reset'] ?? NaN) * SECOND_MS;
    return Number.isNaN(reset) ? null : Math.max(SECOND_MS, reset - this.#deps.now() + SECOND_MS);
  }

  /** Takes the counts of a page. @returns The times that it covers; null if it fails its check. */
  #take(sent: Sent, { body, date, fetched, held }: PlatformPage): Span | null {
    const { granularity, endpoint, start, end } = sent;
    const asked = { granularity, start, end, date, earlier: [] };
    const note = { at: fetched, generation: 0, endpoint };
    const page = readCountsPage(new Uint8Array(body).buffer);
    const meaning = answerMeaning(page, asked, this.#newAsk(), note);
    // A page that has only a token promises Posts that it does not bring.
    if (meaning.kind === 'refused' || meaning.kind === 'nothing') return null;
    const { kind, absent, reported } = meaning;
    const short = start < reported.start || (end !== null && reported.end < end);
    if (short && !held) {
      this.#pageBuckets = Math.min(this.#pageBuckets ?? Infinity, reported.counts.length);
    }
    const answer = { granularity, reported, absent, held };
    if (kind === 'empty') this.#empty.push(answer);
    else this.#add(answer);
    return reported;
  }

  #add({ granularity, reported }: CheckedAnswer): void {
    this.#answers.set(granularity, [...(this.#answers.get(granularity) ?? []), reported]);
  }

  #verdictOn(empty: CheckedAnswer) {
    const waiting = this.#empty.filter((answer) => answer !== empty);
    const answers = this.#answers.get(empty.granularity) ?? [];
    return verdictOn(
      empty,
      [...answers, ...waiting.map(({ reported }) => reported)],
      this.#vouched,
    );
  }

  /** Accepts the empty pages of the vault that nothing speaks against. */
  #believeHeld(): void {
    for (const empty of this.#empty.splice(0)) {
      if (this.#verdictOn(empty).kind === 'believe') this.#add(empty);
    }
  }

  /**
   * Decides about the empty answers, of which one may have to be requested again.
   *
   * @returns Whether that leaves something to do.
   */
  async #confirm(buying: Buying): Promise<boolean> {
    const [empty] = this.#empty;
    if (!empty) return false;
    const verdict = this.#verdictOn(empty);
    this.#empty.shift();
    if (verdict.kind === 'believe') {
      this.#add(empty);
      return true;
    }
    const { granularity, reported } = empty;
    const { start, end, note } = reported;
    if (verdict.kind === 'again' && verdict.afterMs > 0) {
      await this.#pause(verdict.afterMs, buying);
    }
    const before = this.#empty.length;
    const sent = { start, end, endpoint: note.endpoint, granularity };
    await this.#fetch(sent, 'instead', buying);
    // Two answers that agree are accepted; any other is there already.
    const confirmed = this.#empty.length > before ? this.#empty.pop() : undefined;
    if (confirmed) {
      this.#vouched ||= confirmed.absent;
      this.#add(confirmed);
    }
    return true;
  }
}
