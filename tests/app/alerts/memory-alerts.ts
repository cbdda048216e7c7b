import { vi } from 'vitest';
import { AlertInbox } from '#app/alerts/alert-inbox.svelte.ts';
import '#app/settings/forms.css';
import '#app/ui/base.css';
import '#app/ui/tokens.css';
import {
  PAGE_MESSAGES,
  type AlertBackTest,
  type AlertInfo,
  type AlertMessageInfo,
} from '#contract/alerts/alerts.ts';
import { CHANNEL_KINDS, type ChannelKind } from '#contract/channels/channel.ts';

export const NOW = Date.parse('2026-06-15T12:00:00Z');

export const OAT: AlertInfo = {
  id: '1',
  name: 'Oat milk',
  query: 'oat',
  source: 'posts',
  zone: 'UTC',
  direction: 'rise',
  budget: 'week',
  quiet: { from: '22:00', to: '07:00' },
  channels: [
    { kind: 'slack', to: 'hooks.slack.com', fault: 'The server answered with status 404.' },
  ],
  unit: 'hour',
  factor: 3.25,
  weeks: 13,
  byHand: false,
  created_at: '2026-06-01T00:00:00.000Z',
  judged_at: '2026-06-15T12:00:00.000Z',
  fault: null,
};

export const message = (id: string, at: string, over: Partial<AlertMessageInfo> = {}) => ({
  id,
  alert: '1',
  name: 'Oat milk',
  kind: 'rise' as const,
  at,
  onset: at,
  sentence: `Oat milk is at 4.1 times its usual: ${id}12 Posts`,
  read: false,
  ...over,
});

/** A back-test with so many rises, the oldest first, a day apart, the last one a day ago. */
export function pastOf(rises: number, over: Partial<AlertBackTest> = {}): AlertBackTest {
  const messages = Array.from({ length: rises }, (_, i) => {
    const at = new Date(NOW - (rises - i) * 86_400_000).toISOString();
    return { kind: 'rise' as const, at, onset: at, sentence: `Rise ${i + 1}` };
  });
  const curve = {
    start: new Date(NOW - 91 * 86_400_000).toISOString(),
    end: new Date(NOW).toISOString(),
    counts: Array.from({ length: 91 * 24 }, (_, i) => (i < 100 ? null : 20 + (i % 24))),
  };
  return { unit: 'hour', factor: 3.25, weeks: 13, budget: 'kept', messages, curve, ...over };
}

/** The alerts of a service in memory, as its client reads and changes them. */
export function memoryAlerts(
  alerts: readonly AlertInfo[] = [],
  messages: readonly AlertMessageInfo[] = [],
) {
  const kinds: ChannelKind[] = CHANNEL_KINDS.filter((kind) => kind !== 'email');
  const state = { alerts, messages, kinds };
  const sent: { readonly call: string; readonly body: unknown }[] = [];
  const answers: Record<string, (body: unknown) => unknown> = {
    'POST /alerts': () => {
      state.alerts = [OAT];
      return { alert: OAT };
    },
    'POST /alerts/1/test': () => ({ alert: OAT }),
    'DELETE /alerts/1': () => {
      state.alerts = [];
      return { removed: true };
    },
    'POST /alerts/1/restore': () => {
      state.alerts = [OAT];
      return { restored: true };
    },
    'POST /alerts/messages/read': () => {
      state.messages = state.messages.map((each) => ({ ...each, read: true }));
      return { unread: 0 };
    },
  };
  const pageOf = (query: URLSearchParams) => {
    const { messages } = state;
    const unread = messages.filter(({ read }) => !read).length;
    const mark = `${messages.length} ${unread}`;
    const first = messages.findIndex(({ id }) => id === query.get('before')) + 1;
    const page = messages.slice(first, first + PAGE_MESSAGES);
    return { messages: query.get('mark') === mark ? null : page, unread, mark };
  };
  const client = {
    json: (path: string) => {
      sent.push({ call: `GET ${path}`, body: undefined });
      return Promise.resolve(
        path === '/alerts'
          ? { alerts: state.alerts, kinds: state.kinds }
          : pageOf(new URLSearchParams(path.split('?')[1])),
      );
    },
    send: async (method: string, path: string, body: unknown) => {
      sent.push({ call: `${method} ${path}`, body });
      return await answers[`${method} ${path}`]?.(body);
    },
  };
  let poll = (): void => undefined;
  const notices = {
    permission: vi.fn((): NotificationPermission | 'absent' => 'absent'),
    ask: vi.fn(() => Promise.resolve('granted' as const)),
    show: vi.fn<(title: string, text: string, onclick: () => void) => void>(),
  };
  const say = vi.fn<(text: string, undo?: () => void) => void>();
  const isHidden = vi.fn(() => false);
  const inbox = new AlertInbox({
    client: client as never,
    say,
    isHidden,
    isOffline: () => false,
    every: (_, run) => {
      poll = run;
      return () => undefined;
    },
    notices,
    onopen: () => undefined,
  });
  return {
    state,
    sent,
    calls: (): string[] => sent.map(({ call }) => call),
    answers,
    client: client as never,
    notices,
    say,
    isHidden,
    inbox,
    poll: () => poll(),
  };
}

/** The button whose name or text contains a text. */
export function button(root: ParentNode, text: string): HTMLElement {
  const found = [...root.querySelectorAll<HTMLElement>('button')].find((each) =>
    `${each.ariaLabel ?? ''} ${each.textContent}`.includes(text),
  );
  if (!found) throw new Error(`expected a button ${text}`);
  return found;
}
