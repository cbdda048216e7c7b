import { Fault } from '#contract/fault.ts';
import { hasArchive } from '#contract/counts/platform-terms.ts';
import { BUDGET_REACHED, type PlatformAnswer } from '#contract/counts/platform.ts';
import type { SearchEndpoint } from '#contract/posts/search.ts';
import { reachOf } from '#core/counts/head.ts';
import { usd } from '#core/counts/price.ts';
import { object, string } from '#core/import/json.ts';
import { parseJson } from '#core/text/bounded-json.ts';
import { SECOND_MS } from '#core/time/span.ts';
import type { PlatformPage, PlatformPages } from '#server/counting/platform-pages.ts';
import { PlatformStop } from '#server/counting/platform-stop.ts';
import { refusalOf } from '#server/platform/connection.ts';
import type { CommandDeps } from './command-deps.ts';
import { INCOMPLETE_CODE } from '#server/cli/counting/counts-output.ts';
import type { DataFolder } from '#server/data-folder.ts';
import { foundPage, type FoundPage, type PostPrinter } from './found-posts.ts';
import { UNCONNECTED, withPlatform } from './open-platform.ts';
import { maySpend } from '#server/cli/counting/platform-counts.ts';
import { dollars, spendingLine } from '#server/cli/counting/priced-plan.ts';
import { lasting, progressLine } from './progress.ts';
import { firstPosts, pageSize, searchParameters, type SearchOrder } from './search-pages.ts';
import { rangeSpan } from '#server/cli/counting/range-span.ts';
import { SpendingTally } from '#server/cli/counting/spending-tally.ts';
import { randomText } from '#server/random.ts';
import { CommandError } from '#server/command-error.ts';

/** A page of search, and the token of the next. */
interface Answered {
  readonly page: FoundPage;
  readonly token: string | undefined;
}

/** Reads an answer. @throws {@link PlatformStop} if it is none. */
function answerOf(answer: PlatformPage): Answered {
  const refusal = refusalOf(answer);
  if (refusal !== null) throw new PlatformStop(`The platform refused the request. ${refusal}`);
  try {
    const json = object(parseJson(Buffer.from(answer.body).toString('utf8'))) ?? {};
    return { page: foundPage(json), token: string(object(json['meta'])?.['next_token']) };
  } catch {
    throw new PlatformStop('The platform’s answer is not JSON, so no more are bought.');
  }
}

/** The time to wait where a pool of requests is empty. @throws {@link PlatformStop} for any other fault. */
function waitOf({ status, body, headers, message }: Fault, now: number): number {
  const reset = Number(headers['x-rate-limit-reset'] ?? NaN) * SECOND_MS;
  if (status !== 429 || body.type === BUDGET_REACHED || Number.isNaN(reset)) {
    throw new PlatformStop(message);
  }
  return Math.max(SECOND_MS, reset - now + SECOND_MS);
}

/** Buys pages until the limit, the last page or a signal. */
async function* boughtPages(
  deps: CommandDeps,
  pages: PlatformPages,
  endpoint: SearchEndpoint,
  order: SearchOrder,
): AsyncGenerator<FoundPage> {
  const { now, random, stopping, platform, interactive, err } = deps;
  const line = progressLine({ now, interactive, err });
  const asked = rangeSpan(order.range, endpoint === 'recent' ? '7d' : '30d', null, now());
  const { start } = reachOf(endpoint, now(), 'minute');
  const span = { start: Math.max(asked.start, start), end: asked.end };
  const parameters = searchParameters(order, span, now());
  let token: string | undefined;
  for (let missing = order.limit; missing > 0;) {
    if (stopping.aborted) return;
    const max_results = String(pageSize(missing, endpoint));
    const texts = { ...parameters, max_results, ...(token !== undefined && { next_token: token }) };
    const ask = randomText(random, 18);
    const request = { product: 'search', endpoint, parameters: texts, ask } as const;
    let answer: PlatformPage | null;
    try {
      answer = await pages.page({ ...request, buy: null, known: 0 });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const waitMs = waitOf(error, now());
      line.show(`Waiting ${lasting(waitMs / 1000)} for the platform’s rate limit`);
      await platform.sleep(waitMs, stopping).catch(() => undefined);
      line.clear();
      continue;
    }
    if (!answer) throw new RangeError('expected a page that may be bought, got none');
    const found = answerOf(answer);
    const page = firstPosts(found.page, missing);
    missing -= page.data.length;
    yield page;
    ({ token } = found);
    if (token === undefined) return;
  }
}

/** The most that Posts of the platform cost, and the sentences that say so. */
export function highestPrice(
  answer: PlatformAnswer,
  limit: number,
): { readonly most: string; readonly text: string } {
  const { access, prices } = answer.settings;
  const posts = Math.max(limit, pageSize(1, hasArchive(access) ? 'all' : 'recent'));
  const most = dollars(usd(posts * prices.post));
  const each = `${dollars(prices.post)} for each of at most ${posts} Posts`;
  return { most, text: `At most ${most}: ${each}.\n${spendingLine(answer)}` };
}

/**
 * `groundswell search --source platform`: prints the highest price, buys pages if that is approved, and prints them.
 *
 * @returns The exit code: {@link INCOMPLETE_CODE} if it ended early, 1 if it was not approved.
 * @throws {@link UsageError} if no one can approve; {@link CommandError} if the platform is not connected or refuses;
 *   what {@link withPlatform} throws.
 */
export async function runPlatformSearch(
  deps: CommandDeps,
  folder: DataFolder,
  order: SearchOrder,
  printer: PostPrinter,
): Promise<number> {
  return await withPlatform(deps, folder, async (connected) => {
    if (!connected) throw new CommandError(UNCONNECTED);
    const tally = new SpendingTally();
    const pages = tally.over(connected);
    const answer = await pages.settings();
    const endpoint = hasArchive(answer.settings.access) ? 'all' : 'recent';
    const { most, text } = highestPrice(answer, order.limit);
    deps.err(text);
    if (!(await maySpend(deps, order.yes, `at most ${most}`))) {
      deps.err('Nothing was spent.\n');
      return deps.stopping.aborted ? 130 : 1;
    }
    try {
      for await (const page of boughtPages(deps, pages, endpoint, order)) printer.page(page);
    } catch (error) {
      const cost = tally.spent + tally.uncertain;
      if (!(error instanceof PlatformStop)) {
        if (cost > 0) deps.err(`${tally.text}.\n`);
        throw error;
      }
      if (cost === 0) throw new CommandError(error.message);
      deps.err(`${error.message}\n${tally.text}.\n`);
      return INCOMPLETE_CODE;
    }
    deps.err(`${tally.text}.\n`);
    if (deps.stopping.aborted) return 130;
    printer.end();
    return 0;
  });
}
