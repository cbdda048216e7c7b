import type { Context } from 'hono';
import * as v from 'valibot';
import { AD_READS, AD_WRITES, WRITE_LIMIT, type AdPath } from '#contract/ads/ads.ts';
import type { AdKind } from '#contract/ads/ad-kind.ts';
import { AD_KINDS, type AdKindName } from '#contract/ads/ad-kinds.ts';
import { quarterHour } from '#contract/paging.ts';
import { entity as entityAnswer, listing } from '#server/ads/envelope.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import { invalidBody, readJsonValue } from '#server/http/json-body.ts';
import { originOf } from '#server/http/origin.ts';
import { sealBy } from '#server/http/page-token.ts';
import type { Route } from '#server/http/serve.ts';
import type { Json } from '#core/import/json.ts';
import type { ServiceContext } from '#server/context.ts';
import { accountOpener } from './account.ts';
import { advertisers } from './advertisers.ts';
import { changeBatch } from './batch.ts';
import { consoleImports } from './console.ts';
import { createAccount, createEntities, removeEntity, updateEntity } from './changes.ts';
import { entityIn } from './entity.ts';
import { entityJson } from './entity-json.ts';
import type { ChangeBy } from './kind-rules.ts';
import { adJobs } from './job-routes.ts';
import { readListing } from './listing.ts';
import { adLookups } from './lookups.ts';
import { letMediaGo } from './media.ts';
import { adStatistics } from './statistics-routes.ts';
import { adTweets } from './tweets.ts';

/** Listings with a total may be asked for only so often (platform-facts, section 10). */
const TOTALS = quarterHour(200);

/** Reads the list of a batch. @throws {@link Fault} 400 for anything else. */
async function readList<T>(c: Context, schema: v.GenericSchema<unknown, T>, most = 0): Promise<T> {
  const read = v.safeParse(schema, await readJsonValue(c, most));
  if (read.success) return read.output;
  throw invalidBody('Expected a list of objects with operation_type and params');
}

/** Serves the entities of advertisers. */
export function ads(context: ServiceContext): Route[] {
  const { http, ads: store, media, publisher, now, pageKey } = context;
  const seal = sealBy(pageKey);
  const opener = accountOpener(http, store, now);
  const { open: forTotals } = opener(TOTALS);
  // The media that an earlier process held for an entry that it did not store.
  letMediaGo({ media, store });

  const jsonOf = (c: Context): ((entity: AdEntity) => Json) =>
    entityJson(store, {
      now: now(),
      origin: originOf(c),
      isPosted: (key) => media.isPosted(key),
    });
  const reads = (name: AdKindName): Route[] => {
    const kind: AdKind = AD_KINDS[name];
    const { open, serve } = opener(quarterHour(kind.reads));
    const ofAccount = name === 'ACCOUNT';
    const accountOf = ({ account_id: id = '' }: AdPath): string => id;
    return [
      serve(AD_READS[name].list, (call) => {
        const { c, caller, params, query, texts } = call;
        const openThis = query.with_total_count ? forTotals : open;
        const holder = ofAccount ? caller.user.id : openThis(call, accountOf(params)).id;
        const page = readListing(store, { kind: name, holder, query, texts }, seal);
        const { entities, ...rest } = page;
        return listing(call, { ...rest, data: entities.map(jsonOf(c)) });
      }),
      serve(AD_READS[name].one, (call) => {
        const withDeleted = call.query.with_deleted ?? false;
        const account = open(call, accountOf(call.params), ofAccount && withDeleted);
        const id = call.params[kind.key] ?? '';
        const found = ofAccount ? account : entityIn(store, name, account.id, id, { withDeleted });
        return entityAnswer(call, jsonOf(call.c)(found));
      }),
    ];
  };
  const { open: toWrite, serve } = opener(WRITE_LIMIT);
  const writes = (name: AdKindName): Route[] => {
    const { key, each, batch, writes: taken = [] }: AdKind = AD_KINDS[name];
    const { create, update, remove, batch: together } = AD_WRITES[name];
    const ofAccount = name === 'ACCOUNT';
    type Call = Parameters<typeof toWrite>[0] & { readonly params: AdPath };
    const by = ({ caller: { user, access, app } }: Call): ChangeBy => {
      return { store, media, publisher, user, access, app: app?.id ?? null, now: now() };
    };
    const accountOf = (call: Call): string => toWrite(call, call.params['account_id'] ?? '').id;
    const found = (call: Call): AdEntity => {
      const account = toWrite(call, call.params['account_id'] ?? '');
      return ofAccount ? account : entityIn(store, name, account.id, call.params[key] ?? '');
    };
    const routes = {
      create: serve(create, async (call) => {
        const json = jsonOf(call.c);
        if (ofAccount) return entityAnswer(call, json(createAccount(by(call), call.query)));
        const made = await createEntities(by(call), accountOf(call), name, call.query);
        const data = made.map(json);
        return entityAnswer(call, each ? data : data[0]);
      }),
      update: serve(update, async (call) => {
        const changed = await updateEntity(by(call), found(call), call.query);
        return entityAnswer(call, jsonOf(call.c)(changed));
      }),
      remove: serve(remove, (call) => {
        const gone = jsonOf(call.c)(removeEntity(by(call), found(call)));
        // As recorded of drafts (docs creatives/reference).
        const isDraft = name === 'DRAFT_TWEET';
        return entityAnswer(call, isDraft ? { ...gone, status: 'DELETED' } : gone);
      }),
    };
    const batches = batch
      ? [
          serve(
            together,
            (call) => {
              const account = accountOf(call);
              const { entities, request } = changeBatch(by(call), account, name, call.body);
              return { data: entities.map(jsonOf(call.c)), request };
            },
            { body: readList },
          ),
        ]
      : [];
    return [...taken.map((write) => routes[write]), ...batches];
  };
  const kinds = Object.keys(AD_KINDS) as AdKindName[];
  const shared = { ...context, opener, seal, jsonOf };
  return [
    ...consoleImports(context),
    ...[advertisers, adStatistics, adJobs, adLookups, adTweets].flatMap((routes) => routes(shared)),
    ...kinds.flatMap((name) => [...reads(name), ...writes(name)]),
  ];
}
