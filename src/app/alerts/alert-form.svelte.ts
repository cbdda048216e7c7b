import { call, type EndpointClient } from '#app/api/endpoint-call.ts';
import { faultText } from '#app/format/fault-text.ts';
import { ServiceAnswer } from '#app/insight/breakdown/service-answer.svelte.ts';
import {
  ALERTS,
  type AlertBackTest,
  type AlertInfo,
  type WatchedTopic,
} from '#contract/alerts/alerts.ts';
import { MAX_CHANNELS, type ChannelKind } from '#contract/channels/channel.ts';
import type { SystemNotices } from './system-notices.ts';

/** Most characters of the name of an alert. */
const MOST_NAME = 100;

interface AlertFormDeps {
  readonly client: EndpointClient;
  readonly notices: SystemNotices;
  /** The topic's name. */
  readonly name: string;
  readonly topic: Pick<WatchedTopic, 'query' | 'source' | 'zone'>;
  /** Called once it is saved. */
  readonly onsaved: (alert: AlertInfo) => void;
}

/** The form for a new alert, and the messages that it would have had. */
export class AlertForm {
  readonly #deps: AlertFormDeps;
  direction = $state<WatchedTopic['direction']>('rise');
  budget = $state<WatchedTopic['budget']>('week');
  /** Times the usual that the user chose instead of the budget. */
  factor = $state<NonNullable<WatchedTopic['factor']> | undefined>();
  hasQuietHours = $state(false);
  readonly quietHours = $state({ from: '22:00', to: '07:00' });
  channels = $state<{ kind: ChannelKind; address: string }[]>([]);
  /** True to ask for the browser's permission to notify. */
  notify = $state(false);
  readonly past = new ServiceAnswer<AlertBackTest>();
  /** The reason that it was not saved; empty if there is none. */
  fault = $state('');
  saving = $state(false);
  /** The id of the saved alert. */
  savedId = $state<string | null>(null);
  readonly canAddChannel = $derived.by(() => this.channels.length < MAX_CHANNELS);
  readonly topic: WatchedTopic = $derived.by(() => ({
    ...this.#deps.topic,
    direction: this.direction,
    budget: this.budget,
    ...(this.direction === 'rise' && this.factor !== undefined && { factor: this.factor }),
  }));

  /** The last known price on the platform, USD; null where it costs nothing. */
  price = $state.raw<NonNullable<AlertBackTest['price']> | null>(null);
  /** True until its price is known. */
  readonly isUnpriced = $derived.by(() => this.#deps.topic.source === 'platform' && !this.price);

  constructor(deps: AlertFormDeps) {
    this.#deps = deps;
  }

  /**
   * Asks for the messages of the last 13 weeks by the current choice.
   *
   * @param agreed - USD that missing history may cost; absent to buy none.
   */
  backTest(agreed?: number): void {
    const body = { ...this.topic, name: this.#deps.name, ...(agreed !== undefined && { agreed }) };
    // Silence has no budget.
    const key = body.direction === 'rise' ? `${body.budget} ${body.factor ?? ''}` : '';
    this.past.ask(`${key} ${agreed}`, () => call(this.#deps.client, ALERTS.backTest, { body }));
  }

  /** Chooses a budget, and the factor by it. */
  chooseBudget(budget: WatchedTopic['budget']): void {
    this.budget = budget;
    this.factor = undefined;
  }

  addChannel(): void {
    this.channels.push({ kind: 'webhook', address: '' });
  }

  /** The first mistake that needs no service, a sentence. */
  #mistake(): string | null {
    const empty = this.channels.findIndex(({ address }) => address.trim() === '');
    if (empty >= 0) return `Type the address of channel ${empty + 1}, or remove the channel.`;
    const { from, to } = this.quietHours;
    if (!this.hasQuietHours || (from && to && from !== to)) return null;
    return 'Quiet hours need two different times, such as 22:00 and 07:00.';
  }

  async save(): Promise<void> {
    if (this.saving) return;
    const { client, notices, name, onsaved } = this.#deps;
    const { price } = this;
    this.fault = this.isUnpriced ? 'Its price is not known yet.' : (this.#mistake() ?? '');
    if (this.fault) return;
    this.saving = true;
    try {
      if (this.notify && notices.permission() === 'default') await notices.ask();
      const { alert } = await call(client, ALERTS.add, {
        body: {
          ...this.topic,
          ...(price && { agreed: price.month }),
          name: name.slice(0, MOST_NAME),
          quiet: this.hasQuietHours ? { ...this.quietHours } : null,
          channels: this.channels.map(({ kind, address }) => ({ kind, address: address.trim() })),
        },
      });
      this.savedId = alert.id;
      onsaved(alert);
    } catch (error) {
      this.fault = faultText(error);
    } finally {
      this.saving = false;
    }
  }
}
