import type { Endpoint } from '#contract/endpoint.ts';
import type { ResourcePrice } from '#contract/counts/prices.ts';
import { object, objects, type Json } from '#core/import/json.ts';
import type { Billing } from './billing.ts';
import type { Caller } from '#server/auth/caller.ts';

/** Most lines that wait. */
const MOST_WAITING = 500;

/** Several answers as one, for what they cost. */
export function mergedAnswers(answers: readonly Json[]): Json {
  const includes: Record<string, Json[]> = {};
  for (const [name, list] of answers.flatMap((answer) =>
    Object.entries(object(answer.includes) ?? {}),
  )) {
    (includes[name] ??= []).push(...objects(list));
  }
  return { data: answers.map(({ data }) => data), includes };
}

/**
 * The bills of the lines that a connection to a stream receives.
 *
 * Bills the lines of a connection. An app that pays per use pays for each line as it is sent, so that none is sent
 * beyond its credits. What others receive is added up until it is settled: looking up each line alone would take more
 * time than sending it.
 */
export function lineBills(
  billing: Billing,
  caller: Caller,
  endpoint: Endpoint,
  price: ResourcePrice,
) {
  const bill = (send: () => Json): void => {
    const opened = billing.open(caller, endpoint, price, {});
    try {
      opened.answered(send());
    } finally {
      opened.close();
    }
  };
  let waiting: Json[] = [];
  const settle = (): void => {
    if (waiting.length === 0) return;
    const answers = waiting;
    waiting = [];
    bill(() => mergedAnswers(answers));
  };
  return {
    /**
     * Bills a line.
     *
     * @param send - Sends it, and returns its JSON without what is free.
     * @throws {@link Fault} 402, without calling `send`, if the app pays per use and has spent its credits or its limit.
     */
    line: (send: () => Json) => {
      if (caller.access === 'pay-per-use') return bill(send);
      waiting.push(send());
      if (waiting.length >= MOST_WAITING) settle();
    },
    /** Bills what waits. @throws {@link StoreError} if too much waits because the file cannot be written. */
    settle,
  };
}
