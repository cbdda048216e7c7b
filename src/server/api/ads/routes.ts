import { AD_READS, AD_WRITES, WRITE_LIMIT } from '#contract/ads.ts';
import type { AdPath } from '#contract/ads.ts';
import { AD_KINDS } from '#contract/ad-kinds.ts';
import type { AdKind, AdKindName } from '#contract/ad-kinds.ts';
import { quarterHour } from '#contract/paging.ts';
import { entity as entityAnswer, listing } from '#server/advertising/envelope.ts';
import type { FindSource } from '#server/http/current-source.ts';
import { sealBy } from '#server/http/page-token.ts';
import type { Http, Route } from '#server/http/serve.ts';
import { accountOpener } from './account.ts';
import { createAccount, createEntities, removeEntity, updateEntity } from './changes.ts';
import { entityIn } from './entity.ts';
import { entityJson } from './entity-json.ts';
import { readListing } from './listing.ts';
import { statistics } from './statistics-routes.ts';
import type { AdEntity, AdsStore } from '#server/advertising/store.ts';

interface AdsDeps {
  readonly http: Http;
  readonly ads: AdsStore;
  /** Finds the Posts that promoted ones are. */
  readonly source: FindSource;
  /** Epoch ms. */
  readonly now: () => number;
  /** Seals cursors. */
  readonly pageKey: Uint8Array;
}

/** Listings with a total may be asked for only so often (platform-facts, section 10). */
const TOTALS = quarterHour(200);

/** Serves the entities of advertisers. */
export function ads({ http, ads: store, source, now, pageKey }: AdsDeps): Route[] {
  const seal = sealBy(pageKey);
  const opener = accountOpener(store, now);
  const forTotals = opener(TOTALS);

  const reads = (name: AdKindName): Route[] => {
    const kind: AdKind = AD_KINDS[name];
    const open = opener(quarterHour(kind.reads));
    const ofAccount = name === 'ACCOUNT';
    const accountOf = ({ account_id: id = '' }: AdPath): string => id;
    return [
      http.serve(AD_READS[name].list, (call) => {
        const { caller, params, query, texts } = call;
        const openThis = query.with_total_count ? forTotals : open;
        const holder = ofAccount ? caller.user.id : openThis(call, accountOf(params)).id;
        const page = readListing(store, { kind: name, holder, query, texts }, seal);
        const { entities, ...rest } = page;
        return listing(call, { ...rest, data: entities.map(entityJson(store, now())) });
      }),
      http.serve(AD_READS[name].one, (call) => {
        const withDeleted = call.query.with_deleted ?? false;
        const account = open(call, accountOf(call.params), ofAccount && withDeleted);
        const id = call.params[kind.key] ?? '';
        const found = ofAccount ? account : entityIn(store, name, account.id, id, { withDeleted });
        return entityAnswer(call, entityJson(store, now())(found));
      }),
    ];
  };
  const toWrite = opener(WRITE_LIMIT);
  const writes = (name: AdKindName): Route[] => {
    const { key, each, writes: taken = [] }: AdKind = AD_KINDS[name];
    const { create, update, remove } = AD_WRITES[name];
    const ofAccount = name === 'ACCOUNT';
    type Call = Parameters<typeof toWrite>[0] & { readonly params: AdPath };
    const by = ({ caller }: Call) => ({ store, user: caller.user.id, now: now() });
    const found = (call: Call): AdEntity => {
      const account = toWrite(call, call.params['account_id'] ?? '');
      return ofAccount ? account : entityIn(store, name, account.id, call.params[key] ?? '');
    };
    const routes = {
      create: http.serve(create, (call) => {
        const json = entityJson(store, now());
        if (ofAccount) return entityAnswer(call, json(createAccount(by(call), call.query)));
        const account = toWrite(call, call.params['account_id'] ?? '');
        const made = createEntities(by(call), account.id, name, call.query).map(json);
        return entityAnswer(call, each ? made : made[0]);
      }),
      update: http.serve(update, (call) => {
        const changed = updateEntity(by(call), found(call), call.query);
        return entityAnswer(call, entityJson(store, now())(changed));
      }),
      remove: http.serve(remove, (call) => {
        const gone = removeEntity(by(call), found(call));
        return entityAnswer(call, entityJson(store, now())(gone));
      }),
    };
    return taken.map((write) => routes[write]);
  };
  const kinds = Object.keys(AD_KINDS) as AdKindName[];
  return [
    ...statistics({ http, ads: store, source, opener }),
    ...kinds.flatMap((name) => [...reads(name), ...writes(name)]),
  ];
}
