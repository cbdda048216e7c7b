import { Fault } from '#contract/fault.ts';
import { POST_READ } from '#contract/counts/prices.ts';
import { ofSource } from '#contract/counts/source.ts';
import { LinkRequest, STREAM_LINKS } from '#contract/streams/stream-links.ts';
import type { Service } from '#server/auth/store.ts';
import type { Bill, Billing, Payer } from '#server/billing/billing.ts';
import { mergedAnswers } from '#server/billing/line-bills.ts';
import { payerOf } from '#server/billing/payer.ts';
import type { Json } from '#core/import/json.ts';
import { SPENT, type NewDelivery } from '#server/streams/delivery-queue.ts';
import type { EventLog } from '#server/streams/log.ts';
import { lineMaker } from '#server/streams/line-maker.ts';
import type { MatchedPost } from '#server/streams/matched-posts.ts';
import type { RuleStream } from '#server/streams/rules/rule-table.ts';
import type { Streams } from '#server/streams/streams.ts';
import { laneOf } from '#server/webhooks/link-lane.ts';
import type { StreamLink } from '#server/webhooks/link-table.ts';
import type { DeliveryPart, ReadLog } from '#server/webhooks/log-reader.ts';
import * as v from 'valibot';
import { filteredLines } from './lines.ts';

export interface FilteredDeliveriesDeps {
  readonly service: Service;
  readonly billing: Billing;
  readonly streams: Pick<Streams, 'finder' | 'matched'>;
  readonly log: EventLog;
  /** Origin of this service in the addresses of media, by the host of a {@link StreamLink}. */
  readonly originOf: (host: string) => string;
  /** Epoch ms. */
  readonly now: () => number;
}

/**
 * The bills of a part of the log, none of which counts unless its deliveries are queued. An app that pays per use pays
 * for each line; what others receive is billed at once.
 */
function partBills(open: (payer: Payer) => Bill) {
  const paid: { readonly bill: Bill; readonly json: Json }[] = [];
  const free = new Map<string, { readonly payer: Payer; readonly lines: Json[] }>();
  return {
    /** Adds the line of an app. False if the app has spent its credits or its limit. */
    add: (app: string, payer: Payer, json: Json): boolean => {
      if (payer.access !== 'pay-per-use') {
        const of = free.get(app) ?? { payer, lines: [] };
        of.lines.push(json);
        free.set(app, of);
        return true;
      }
      try {
        paid.push({ bill: open(payer), json });
        return true;
      } catch (error) {
        if (error instanceof Fault && error.status === 402) return false;
        throw error;
      }
    },
    settle: (isQueued: boolean): void => {
      const all = [...paid];
      for (const { payer, lines } of isQueued ? free.values() : []) {
        all.push({ bill: open(payer), json: mergedAnswers(lines) });
      }
      for (const { bill, json } of all) {
        if (isQueued) bill.answered(json);
        bill.close();
      }
    },
  };
}

/**
 * The Posts of a source that match the rules of apps, as deliveries to the webhooks that are linked to its filtered
 * stream: the lines of the stream, in its order. An app that has spent its credits gets dead letters instead.
 */
export function filteredDeliveries(
  id: RuleStream,
  { service, billing, streams, log, originOf, now }: FilteredDeliveriesDeps,
): ReadLog {
  const endpoint = ofSource(STREAM_LINKS.list, id);
  // Entries that are appended from now on are read once, together with open connections.
  const old = log.last();
  const makerOf = ({ app, parameters, host }: StreamLink) => {
    const { selection } = v.parse(LinkRequest, parameters);
    const finder = () => streams.finder(id);
    return lineMaker(app, filteredLines(selection, originOf(host), now), finder);
  };

  const partOf = (last: number, items: readonly MatchedPost[]): DeliveryPart => {
    const deliveries: NewDelivery[] = [];
    const bills = partBills((payer) => billing.open(payer, endpoint, POST_READ, {}));
    // Links as they are now, and not as they were before the Posts were read.
    const links = service.links.of(id).flatMap((link) => {
      const payer = payerOf(service, link.app);
      return payer ? [{ ...link, payer, make: makerOf(link) }] : [];
    });
    try {
      for (const post of items) {
        for (const { id: link, webhook, app, after, payer, make } of links) {
          const made = post.number > after ? make(post) : null;
          if (!made) continue;
          const event = String(post.post.row.id);
          const body = Buffer.from(made.line);
          const delivery = {
            webhook,
            subscription: laneOf(link),
            event,
            body,
            createdAt: post.at,
            subject: { stream: id, post: event, users: [] },
          };
          const pays = bills.add(app, payer, made.json);
          deliveries.push(pays ? delivery : { ...delivery, fault: SPENT });
        }
      }
    } catch (error) {
      bills.settle(false);
      throw error;
    }
    return { last, deliveries, settled: bills.settle };
  };

  return {
    name: `filtered ${id}`,
    log,
    // The entries that a link was to begin after are gone.
    onRewind: (number) => service.links.rewind(id, number),
    read: async (number) => {
      const first = Math.min(...service.links.of(id).map(({ after }) => after));
      const from = Math.max(number, first);
      const posts = streams.matched(id);
      // Without a link nothing is read.
      if (from === Infinity || !posts) return partOf(number, []);
      const { last, items } = await posts.after(from, from >= old);
      return partOf(last, items);
    },
  };
}
