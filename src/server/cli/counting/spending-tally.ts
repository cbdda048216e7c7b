import { Fault } from '#contract/fault.ts';
import { UNCERTAIN, type PlatformSettings } from '#contract/counts/platform.ts';
import {
  callOf,
  type PlatformRequest,
  type PlatformPages,
} from '#server/counting/platform-pages.ts';
import { dollarsOf } from '#server/platform/budget.ts';
import { priceOf } from '#server/platform/terms.ts';
import { dollars } from './priced-plan.ts';

/** The cost of a command's requests: billed, and perhaps billed without an answer. */
export class SpendingTally {
  /** USD. */
  spent = 0;
  /** USD that may have been billed. */
  uncertain = 0;
  #prices: PlatformSettings['prices'] | null = null;

  /** The same pages, whose cost is counted here. */
  over(pages: PlatformPages): PlatformPages {
    return {
      ...pages,
      settings: async () => {
        const answer = await pages.settings();
        this.#prices = answer.settings.prices;
        return answer;
      },
      page: async (request) => {
        try {
          const page = await pages.page(request);
          this.spent += page?.price ?? 0;
          return page;
        } catch (error) {
          // Without a fault it is unknown what the service did: it may have ended after it bought the page.
          const unknown = !(error instanceof Fault) || error.body[UNCERTAIN] === true;
          if (unknown && request.buy !== 'no') this.uncertain += this.#maxCost(request);
          throw error;
        }
      },
    };
  }

  /** The most that a request costs, which the relay reserves for it. */
  #maxCost(request: PlatformRequest): number {
    const call = callOf(request);
    return this.#prices ? dollarsOf(priceOf(call, this.#prices, call.brings)) : 0;
  }

  /** `Spent $0.06, perhaps $0.05 more`. */
  get text(): string {
    const more = this.uncertain > 0 ? `, perhaps ${dollars(this.uncertain)} more` : '';
    return `Spent ${dollars(this.spent)}${more}`;
  }
}
