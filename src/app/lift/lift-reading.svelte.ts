import type { AccountCounter } from '#app/api/account-counts-api.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import { keyOf, type BoardNeed } from '#app/board/state/need-key.ts';
import { contaminationOf } from '#core/lift/contamination.ts';
import type { AccountCounts } from '#core/lift/levels.ts';
import { liftOf } from '#core/lift/lift.ts';
import { combine } from '#core/series/combine.ts';
import type { Formula } from '#core/series/formula.ts';
import { bucketsIn } from '#core/series/window.ts';
import type { Curve } from '#core/series/series.ts';
import type { Span } from '#core/time/span.ts';
import type { TopicDot } from './lift-picture.ts';
import { liftInput, type LiftScope } from './lift-scope.ts';
import type { Lift } from '#core/lift/lift-figure.ts';
import type { LiftInput } from '#core/lift/lift-input.ts';
import {
  type LiftQuestion,
  type LiftParts,
  type OtherTopic,
  liftParts,
  MAX_TOPICS,
} from './lift-parts.ts';

/** The curves added up, bucket by bucket; null for none. */
function sumOf(curves: readonly Curve[]): Curve | null {
  const [first, ...rest] = curves.map((of): Formula<Curve> => ({ kind: 'series', of }));
  return first ? combine(rest.reduce((a, b) => ({ kind: 'sum', a, b }), first)) : null;
}

/** The Posts of the buckets of a span; NaN if one is unknown. */
function postsIn({ bounds, counts }: Curve, { start, end }: Span): number {
  const { first, end: last } = bucketsIn(bounds, start, end);
  let posts = 0;
  for (let i = first; i < last; i += 1) posts += counts[i] ?? NaN;
  return posts;
}

/** The way to count the different accounts of the source. */
export interface LiftAccounts {
  /** Identifies the source and its revision. */
  readonly of: string;
  readonly count: AccountCounter;
}

type CountedAccounts = NonNullable<LiftInput['accounts']>;

/** The accounts of several queries together; an account that posts for two of them counts twice, as its Posts do. */
function sumOfAccounts(all: readonly AccountCounts[]): AccountCounts | null {
  const [first, ...rest] = all;
  if (!first) return null;
  const sum = (of: keyof AccountCounts): Float64Array =>
    first[of].map((accounts, i) =>
      rest.reduce((all, each) => all + (each[of][i] ?? NaN), accounts),
    );
  return { buckets: sum('buckets'), windows: sum('windows') };
}

/** The phases after which a run changes no more by itself. */
const SETTLED: readonly Run['phase'][] = ['done', 'cancelled', 'failed'];

/** The state of a lift: its counts are read by runs of their own, and the figure follows from them. */
export class LiftReading {
  readonly #make: () => Run;
  readonly #runs = new Map<string, Run>();
  /** The text of the present question, by which another one is known. */
  #asked = '';
  /** True once the counts of the present question were read: later changes of them do not empty the figure. */
  #read = $state(false);
  #question = $state.raw<LiftQuestion | null>(null);
  #parts = $state.raw<LiftParts | null>(null);
  /** The runs of the present question, that of the topic first. */
  #present = $state.raw<readonly Run[]>([]);
  /** The runs of other topics, none of which the figure waits for. */
  #others = $state.raw<readonly { readonly topic: OtherTopic; readonly run: Run }[]>([]);
  /** The accounts that were counted last, of this question: they stay while newer ones are counted. */
  #counted = $state.raw<{ readonly of: string; readonly accounts: CountedAccounts } | null>(null);
  #count: { readonly key: string; readonly read: () => Promise<CountedAccounts> } | null = null;
  #counting = new AbortController();
  /** The failure of counting accounts; null if it did not fail. */
  accountsFault = $state.raw<unknown>(null);
  #wanted = $state.raw('');
  #loaded = '';
  #retry: (() => Promise<unknown>) | null = null;

  constructor(make: () => Run) {
    this.#make = make;
  }

  /** The reason a control cannot be counted; empty if all can. */
  readonly problem: string = $derived.by(() => {
    const parts = this.#parts;
    const wrong = [...(parts?.controls ?? []), ...(parts?.tagged ?? [])].find(
      (part) => 'problem' in part,
    );
    return wrong && 'problem' in wrong ? wrong.problem : '';
  });

  /** True while counts are read for the first time. */
  readonly busy: boolean = $derived.by(
    () => !this.#read && this.#present.some(({ phase }) => !SETTLED.includes(phase)),
  );

  /** True if the user declined what the counts cost. */
  readonly cancelled: boolean = $derived.by(() =>
    this.#present.some(({ phase }) => phase === 'cancelled'),
  );

  /** The failure of a run; null if none failed. */
  readonly fault: unknown = $derived.by(
    () => this.#present.find(({ phase }) => phase === 'failed')?.fault ?? null,
  );

  /** The lift as far as the counts are known; null while they are read, or if no bucket has ended. */
  readonly lift: Lift | null = $derived.by(() => {
    const [question, parts] = [this.#question, this.#parts];
    if (!question || !parts || this.busy || this.problem !== '') return null;
    const curves = this.#present.map(({ curve }) => curve);
    const [topic, ...others] = curves;
    if (!topic || others.some((curve) => !curve)) return null;
    const { length } = parts.controls;
    const controls = others.slice(0, length) as Curve[];
    const tagged = others.slice(length) as Curve[];
    const curve = sumOf(controls);
    const { campaign } = question.scope;
    const posts = curve ? postsIn(curve, campaign) : 0;
    const marked = tagged.reduce((sum, each) => sum + postsIn(each, campaign), 0);
    const isKnown = tagged.length > 0 && !Number.isNaN(posts + marked) && marked <= posts;
    const input = liftInput(
      question.scope,
      {
        curve: topic,
        seams: this.#present.flatMap(({ seams }) => seams.map(({ at }) => at)),
      },
      curve && { curve, contamination: isKnown ? contaminationOf(marked, posts) : null },
      question.others,
      this.#counted?.of === this.#wanted ? this.#counted.accounts : null,
    );
    return input && liftOf(input);
  });

  /** The other topics in the time of the campaign, as far as their counts are known and can be compared. */
  readonly topics: readonly TopicDot[] = $derived.by(() => {
    const question = this.#question;
    if (!question) return [];
    return this.#others.flatMap(({ topic: { name, colour }, run }) => {
      if (!run.curve || run.phase !== 'done') return [];
      const given = { curve: run.curve, seams: run.seams.map(({ at }) => at) };
      const input = liftInput(question.scope, given, null, question.others);
      const lift = input && liftOf(input);
      return lift?.kind === 'figure' ? [{ name, colour, value: lift.value }] : [];
    });
  });

  /** The scope of the present question. */
  readonly scope: LiftScope | null = $derived.by(() => this.#question?.scope ?? null);

  /** The counts of the topic that the lift is of; null while they are read. */
  readonly curve: Curve | null = $derived.by(() => this.#present[0]?.curve ?? null);

  /**
   * Reads the counts of a question unless they were read last.
   *
   * @param need - Of the board; its span and resolution are replaced.
   * @param limit - Code points that the source accepts in a query.
   * @param ask - False to read only what is stored, because counts cost money.
   * @param accounts - Null if the source does not say how many there are.
   */
  async load(
    question: LiftQuestion,
    need: BoardNeed,
    limit: number,
    ask: boolean,
    accounts: LiftAccounts | null,
  ): Promise<void> {
    const parts = liftParts(question, limit);
    const { scope } = question;
    const wanted = { ...need, span: scope.span, resolution: scope.unit, zone: scope.table.zone };
    const queries = [{ query: parts.topic }, ...parts.controls, ...parts.tagged].flatMap((part) =>
      'query' in part ? [part.query] : [],
    );
    const { table, ...edges } = scope;
    const asked = JSON.stringify({ ...question, scope: { ...edges, zone: table.zone } });
    if (asked !== this.#asked) {
      this.#asked = asked;
      this.#read = false;
      [this.#question, this.#parts] = [question, parts];
    }
    this.#askAccounts(scope, parts, accounts);
    const topics = question.topics.slice(0, MAX_TOPICS);
    const others = topics.map(({ query }) => query);
    const key = `${String(ask)} ${[...queries, ...others].map((query) => keyOf(query, wanted)).join(' ')}`;
    if (key === this.#loaded) return;
    this.#loaded = key;
    for (const [query, run] of this.#runs) {
      if (queries.includes(query) || others.includes(query)) continue;
      run.dispose();
      this.#runs.delete(query);
    }
    const runOf = (query: string): Run => {
      const run = this.#runs.get(query) ?? this.#make();
      this.#runs.set(query, run);
      return run;
    };
    const runs = queries.map((query) => ({ query, run: runOf(query) }));
    this.#present = runs.map(({ run }) => run);
    this.#others = topics.map((topic) => ({ topic, run: runOf(topic.query) }));
    const isFree = need.policy.terms === null;
    const read = (query: string, run: Run, how: 'ask' | 'peek' | 'refresh'): Promise<void> =>
      run[how]({ ...wanted, query });
    this.#retry = () => Promise.all(runs.map(({ query, run }) => read(query, run, 'refresh')));
    await Promise.all([
      ...runs.map(({ query, run }) => read(query, run, ask ? 'ask' : 'peek')),
      // Counts that nobody asked for are not bought.
      ...this.#others.map(({ topic: { query }, run }) => read(query, run, isFree ? 'ask' : 'peek')),
    ]);
    if (this.#loaded === key) this.#read = true;
  }

  /** Asks for the accounts of a campaign that has ended, unless they were asked for last. */
  #askAccounts(scope: LiftScope, parts: LiftParts, accounts: LiftAccounts | null): void {
    const { span, unit, campaign, length, table } = scope;
    const controls = parts.controls.flatMap((part) => ('query' in part ? [part.query] : []));
    const isWhole = controls.length === parts.controls.length && campaign.end <= span.end;
    const asked = { span, unit, zone: table.zone, length };
    this.#wanted = JSON.stringify([parts.topic, controls, asked]);
    const key = accounts && isWhole ? `${accounts.of} ${this.#wanted}` : '';
    if (key === this.#count?.key) return;
    if (!accounts || key === '') {
      this.#dropAccounts();
      return;
    }
    const count = async (query: string): Promise<AccountCounts> =>
      await accounts.count({ query, ...asked }, this.#counting.signal);
    const read = async (): Promise<CountedAccounts> => {
      const [series, ...others] = await Promise.all([count(parts.topic), ...controls.map(count)]);
      return { series, control: sumOfAccounts(others) };
    };
    this.#count = { key, read };
    void this.countAgain();
  }

  #dropAccounts(): void {
    this.#counting.abort();
    [this.#count, this.#counted, this.accountsFault] = [null, null, null];
  }

  /** Reads again what failed, or what the user declined to buy. */
  async again(): Promise<void> {
    await this.#retry?.();
  }

  /** Counts the accounts again. */
  async countAgain(): Promise<void> {
    this.#counting.abort();
    const { signal } = (this.#counting = new AbortController());
    const of = this.#wanted;
    this.accountsFault = null;
    try {
      const accounts = await this.#count?.read();
      if (accounts && !signal.aborted) this.#counted = { of, accounts };
    } catch (error) {
      if (!signal.aborted) this.accountsFault = error;
    }
  }

  /** Forgets the question and its counts. */
  clear(): void {
    for (const run of this.#runs.values()) run.dispose();
    this.#runs.clear();
    [this.#question, this.#parts, this.#retry] = [null, null, null];
    this.#dropAccounts();
    [this.#present, this.#others] = [[], []];
    [this.#asked, this.#loaded, this.#read] = ['', '', false];
  }
}
