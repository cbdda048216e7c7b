import { call } from '#app/api/endpoint-call.ts';
import { Changes, Loaded, type Changing, type Following } from '#app/settings/loaded.svelte.ts';
import {
  ALERTS,
  PAGE_MESSAGES,
  type AlertInfo,
  type AlertMessageInfo,
} from '#contract/alerts/alerts.ts';
import { SECOND_MS } from '#core/time/span.ts';
import type { SystemNotices } from './system-notices.ts';

/** The interval at which the page asks for messages, ms. */
const POLL_MS = 10 * SECOND_MS;

/** A message, and the alert that it is of. */
export interface InboxMessage {
  readonly message: AlertMessageInfo;
  readonly alert: AlertInfo;
}

/** The messages that a page has. */
interface Received {
  readonly messages: readonly AlertMessageInfo[];
  readonly unread: number;
  /** As of the answer. */
  readonly mark: string;
  /** True if there may be older ones. */
  readonly more: boolean;
}

export interface AlertInboxDeps extends Changing, Following {
  /** True if the service does not answer. */
  readonly isOffline: () => boolean;
  readonly notices: SystemNotices;
  /** Opens the inbox. */
  readonly onopen: () => void;
}

/** The alerts of this login and their messages, which it follows while there is an alert. */
export class AlertInbox {
  readonly #deps: AlertInboxDeps;
  readonly all = new Loaded(() => call(this.#deps.client, ALERTS.list));
  /** The messages that have been loaded, the newest first, and whether there are older ones. */
  readonly received = new Loaded(
    () => this.#receive(),
    ({ messages }) => this.#notify(messages),
  );
  readonly changes = new Changes((text) => (this.all.fault = text));
  /** Ids of the messages of the last answer; null before the first. */
  #known: Set<string> | null = null;
  /** True if an alert was removed or came back, with messages in any place. */
  #isChanged = false;

  readonly alerts = $derived.by(() => this.all.value?.alerts ?? []);
  /** The kinds of channel that this login may send to. */
  readonly kinds = $derived.by(() => this.all.value?.kinds ?? []);
  /** The newest first. */
  readonly messages: readonly InboxMessage[] = $derived.by(() => {
    const byId = new Map(this.alerts.map((alert) => [alert.id, alert]));
    return (this.received.value?.messages ?? []).flatMap((message) => {
      const alert = byId.get(message.alert);
      return alert ? [{ message, alert }] : [];
    });
  });
  readonly unread = $derived.by(() =>
    this.alerts.length > 0 ? (this.received.value?.unread ?? 0) : 0,
  );

  constructor(deps: AlertInboxDeps) {
    this.#deps = deps;
  }

  get notices(): SystemNotices {
    return this.#deps.notices;
  }

  /** Reads alerts and messages now, and messages every ten seconds while there is an alert. @returns Ends that. */
  follow(): () => void {
    void this.load();
    return this.#deps.every(POLL_MS, () => void this.#poll());
  }

  /** Reads the alerts, and their messages if there are any. */
  async load(): Promise<void> {
    await this.all.reload();
    if (this.alerts.length > 0) await this.received.reload();
  }

  async #poll(): Promise<void> {
    const { isHidden, isOffline, notices } = this.#deps;
    if (isOffline()) return;
    // A page that nobody sees has to know of messages only to notify.
    if (isHidden() && notices.permission() !== 'granted') return;
    if (this.all.value === null) await this.load();
    else if (this.alerts.length > 0) await this.received.load();
  }

  /** The newest messages, and those that were loaded before them; the latter alone if nothing has changed. */
  async #receive(): Promise<Received> {
    const known = this.#isChanged ? null : this.received.value;
    this.#isChanged = false;
    const query = known ? { mark: known.mark } : {};
    const { messages, unread, mark } = await call(this.#deps.client, ALERTS.messages, { query });
    if (messages === null && known) return { ...known, unread };
    const page = messages ?? [];
    const isFull = page.length === PAGE_MESSAGES;
    const ids = new Set(page.map(({ id }) => id));
    // A page that has none of those known may leave out some between them.
    const isNext = isFull && known !== null && known.messages.some(({ id }) => ids.has(id));
    const older = isNext
      ? known.messages.filter(({ id, at }) => !ids.has(id) && at <= (page.at(-1)?.at ?? ''))
      : [];
    return { messages: [...page, ...older], unread, mark, more: isNext ? known.more : isFull };
  }

  /** Loads messages before those that are loaded. */
  async loadOlder(): Promise<void> {
    await this.changes.make('older', async () => {
      const before = this.received.value?.messages.at(-1)?.id;
      const query = before === undefined ? {} : { before };
      const { messages } = await call(this.#deps.client, ALERTS.messages, { query });
      const { value } = this.received;
      if (!value || !messages || value.messages.at(-1)?.id !== before) return;
      this.#know(messages);
      const more = messages.length === PAGE_MESSAGES;
      this.received.value = { ...value, messages: [...value.messages, ...messages], more };
    });
  }

  #know(messages: readonly AlertMessageInfo[]): void {
    this.#known ??= new Set();
    for (const { id } of messages) this.#known.add(id);
  }

  #notify(messages: readonly AlertMessageInfo[]): void {
    const { notices, onopen } = this.#deps;
    const known = this.#known && new Set(this.#known);
    this.#know(messages);
    if (!known || notices.permission() !== 'granted') return;
    for (const { id, read, name, sentence } of messages) {
      if (!read && !known.has(id)) notices.show(name, `${sentence}.`, onopen);
    }
  }

  /** Marks the messages as read that have been received. */
  async markRead(): Promise<void> {
    const until = this.messages[0]?.message.at;
    if (until === undefined || this.unread === 0) return;
    await this.changes.make('read', async () => {
      const { unread } = await call(this.#deps.client, ALERTS.read, { body: { until } });
      const { value } = this.received;
      if (value) this.received.value = { ...value, unread };
    });
  }

  /** Removes an alert with its messages, and offers to undo that. */
  async remove({ id, name }: AlertInfo): Promise<void> {
    const { client, say } = this.#deps;
    const input = { params: { id } };
    const change = (work: () => Promise<unknown>): Promise<boolean> =>
      this.changes.make(id, async () => {
        await work();
        this.#isChanged = true;
        await this.load();
      });
    if (!(await change(() => call(client, ALERTS.remove, input)))) return;
    const undo = (): void => void change(() => call(client, ALERTS.restore, input));
    say(`The alert “${name}” was removed.`, undo);
  }

  /** Sends a test to the channels of an alert. */
  async test({ id, name }: Pick<AlertInfo, 'id' | 'name'>): Promise<void> {
    const { client, say } = this.#deps;
    const input = { params: { id } };
    if (!(await this.changes.make(id, () => call(client, ALERTS.test, input)))) return;
    say(`A test of “${name}” is on its way.`);
  }
}
