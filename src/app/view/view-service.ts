import type { GenericSchema } from 'valibot';
import { faultOf, readBy, UNREACHABLE } from '#app/api/answer-fault.ts';
import type { Client } from '#app/api/client.ts';
import type { CountedBuckets, ReportQuestion } from '#contract/counts/report.ts';
import { Fault } from '#contract/fault.ts';
import {
  MAX_QUESTIONS,
  MAX_VIEW_BUCKETS,
  VIEW_LINK,
  type ViewCounts,
  type OpenedView,
  type ViewQuestion,
} from '#contract/links/view-link.ts';
import { neededGranularity } from '#core/time/boundary.ts';

/** A question of the board, and what waits for its answer. */
interface Waiting {
  readonly question: ViewQuestion;
  take(counted: CountedBuckets): void;
  fail(error: unknown): void;
}

function questionOf({ query, bounds }: ReportQuestion): ViewQuestion {
  const granularity = neededGranularity(bounds);
  return { query, start: bounds[0] ?? 0, buckets: bounds.length - 1, granularity };
}

/** Questions by the requests that may ask them, in their order. */
function requestsOf(waiting: readonly Waiting[]): Waiting[][] {
  const requests: Waiting[][] = [];
  let sum = 0;
  for (const each of waiting) {
    const last = requests.at(-1);
    sum += each.question.buckets;
    if (last && last.length < MAX_QUESTIONS && sum <= MAX_VIEW_BUCKETS) last.push(each);
    else {
      requests.push([each]);
      sum = each.question.buckets;
    }
  }
  return requests;
}

function countedOf({ counts, runs }: ViewCounts): CountedBuckets {
  const states = new Uint8Array(counts.length);
  const fetchedAt = new Float64Array(counts.length);
  let from = 0;
  for (const { buckets, state, fetched_at } of runs) {
    states.fill(state, from, from + buckets);
    fetchedAt.fill(fetched_at ?? Number.NaN, from, from + buckets);
    from += buckets;
  }
  return { counts: Float64Array.from(counts, (count) => count ?? Number.NaN), states, fetchedAt };
}

/** The service as the page of a view link reads it: only below the link's own path, without cookies or storage. */
export class ViewService {
  readonly #base: string;
  readonly #fetch: typeof fetch;
  /** In memory alone: another visit asks for the password again. */
  #token: string | null = null;
  #waiting: Waiting[] = [];

  /** @param base - Address of the page, which ends with a slash. */
  constructor(base: string, fetcher: typeof fetch) {
    this.#base = base;
    this.#fetch = fetcher;
  }

  async #read<T>(
    path: string,
    schema: GenericSchema<unknown, T>,
    init: RequestInit = {},
  ): Promise<T> {
    const headers = {
      ...(init.body != null && { 'content-type': 'application/json' }),
      ...(this.#token !== null && { authorization: `Bearer ${this.#token}` }),
    };
    const request = { ...init, headers, credentials: 'omit', cache: 'no-store' } as const;
    let answer: Response;
    try {
      answer = await this.#fetch(this.#base + path, request);
    } catch {
      init.signal?.throwIfAborted();
      throw new Fault(503, {
        title: 'Service Unavailable',
        detail: 'The service doesn’t answer.',
        type: UNREACHABLE,
      });
    }
    if (!answer.ok) throw await faultOf(answer);
    return readBy(schema, path, await answer.text());
  }

  #post<T>(path: string, schema: GenericSchema<unknown, T>, body: object): Promise<T> {
    return this.#read(path, schema, { method: 'POST', body: JSON.stringify(body) });
  }

  /**
   * Opens the board.
   *
   * @param password - Absent before one is asked for.
   * @throws {@link Fault} 401 of type `PASSWORD_NEEDED`; 404 and 410 for a link that does not work; 429; 503.
   */
  async open(password?: string): Promise<OpenedView> {
    const body = password === undefined ? {} : { password };
    const opened = await this.#post('open', VIEW_LINK.open.answer, body);
    this.#token = opened.token;
    return opened;
  }

  /**
   * Reads the paths that the dashboard reads of its service, as far as the link gives them.
   *
   * @throws {@link Fault} as the service answers.
   */
  readonly client: Pick<Client, 'json'> = {
    json: (path, schema, { signal }) =>
      this.#read(path.replace(/^(?:\/sample)?\//, ''), schema, { signal }),
  };

  /** Counts buckets of one width. Questions of one moment are one request, or as few as may be. */
  count(question: ReportQuestion): Promise<CountedBuckets> {
    return new Promise((take, fail) => {
      this.#waiting.push({ question: questionOf(question), take, fail });
      if (this.#waiting.length === 1) setTimeout(() => void this.#countAll());
    });
  }

  async #countAll(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const asked of requestsOf(waiting)) await this.#countSome(asked);
  }

  async #countSome(asked: readonly Waiting[]): Promise<void> {
    try {
      const questions = asked.map(({ question }) => question);
      const { answers } = await this.#post('counts', VIEW_LINK.counts.answer, { questions });
      for (const [i, { take }] of asked.entries()) take(countedOf(answers[i]!));
    } catch (error) {
      for (const { fail } of asked) fail(error);
    }
  }
}
