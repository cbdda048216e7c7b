import { formatTime } from '#contract/ads/ad-fields.ts';
import { DAY_MS } from '#core/time/span.ts';
import { importConsole } from '#server/ads/console-import.ts';
import type { AdsStore } from '#server/ads/store.ts';
import { changeBatch } from '#server/api/ads/batch.ts';
import {
  createAccount,
  createEntities,
  removeEntity,
  updateEntity,
} from '#server/api/ads/changes.ts';
import type { ChangeBy } from '#server/api/ads/kind-rules.ts';
import type { ConsoleReport } from '#server/ads/put-rows.ts';

/** The actions of an advertiser, by requests and `groundswell ads import`. Each is one transaction except `import`. */
export const AD_ACTIONS = ['set up', 'promote', 'rename', 'batch', 'import', 'remove'] as const;
export type AdAction = (typeof AD_ACTIONS)[number];

const NOW = Date.UTC(2026, 10, 21);
const USER = { id: '7', username: 'ann' };

/** An export of more rows than become durable together. */
export function consoleRows(): string {
  const rows = Array.from({ length: 1200 }, (_, i) => {
    const day = formatTime(NOW - Math.floor(i / 4) * DAY_MS).slice(0, 10);
    return `C${i % 4},${day},${i + 1}`;
  });
  return ['Campaign,Day,Impressions', ...rows].join('\n');
}

export function adActions(store: AdsStore, csv: string) {
  const by: ChangeBy = {
    store,
    user: USER,
    access: 'enterprise',
    app: null,
    // No action has media or Posts.
    media: null as never,
    publisher: null as never,
    now: NOW,
  };
  const first = (kind: 'ACCOUNT' | 'CAMPAIGN' | 'LINE_ITEM', holder: string) => {
    const filter = { kind, holder, withDeleted: true, withDraft: true };
    const entity = store.page(filter, { by: [], after: null }, 1)[0]?.entity;
    if (!entity) throw new Error(`expected a ${kind}`);
    return entity;
  };
  const account = () => first('ACCOUNT', USER.id);
  const instrument = () => String(first('CAMPAIGN', account().id).parent);
  const setUp = () =>
    store.write('set-up', () => {
      const { id } = createAccount(by, {});
      const made = createEntities(by, id, 'FUNDING_INSTRUMENT', {
        type: 'CREDIT_LINE',
        currency: 'EUR',
      });
      const [fund] = made as Awaited<typeof made>;
      const named = { name: 'A', funding_instrument_id: fund?.id ?? '' };
      void createEntities(by, id, 'CAMPAIGN', named);
      void createEntities(by, id, 'LINE_ITEM', { campaign_id: first('CAMPAIGN', id).id });
    });
  const load = async (): Promise<ConsoleReport> =>
    await importConsole(csv, {
      store,
      account,
      zone: 'Europe/Berlin',
      now: NOW,
      map: {},
      dates: null,
      onRefused: () => {},
    });
  const act: Readonly<Record<AdAction, () => unknown>> = {
    'set up': setUp,
    promote: () => {
      const { id, holder } = first('LINE_ITEM', account().id);
      return createEntities(by, holder, 'PROMOTED_TWEET', {
        line_item_id: id,
        tweet_ids: ['1', '2'],
      });
    },
    rename: () => updateEntity(by, first('CAMPAIGN', account().id), { name: 'B' }),
    batch: () => {
      const params = { name: 'C', funding_instrument_id: instrument() };
      const create = { operation_type: 'Create', params };
      return changeBatch(by, account().id, 'CAMPAIGN', [create, create]);
    },
    import: load,
    remove: () => removeEntity(by, first('CAMPAIGN', account().id)),
  };
  return { act, load };
}
