import * as v from 'valibot';

/** Values by the names of parameters. */
const EXAMPLES: Readonly<Record<string, string | readonly string[]>> = {
  query: 'coffee -is:retweet lang:en',
  start_time: ['2026-11-01T00:00:00Z', '09:00'],
  end_time: '2026-11-08T00:00:00Z',
  startTime: '2026-11-01T00:00:00Z',
  endTime: '2026-11-08T00:00:00Z',
  ids: '1228393702244134912,1227640996038684673',
  id: '2244994945',
  username: 'TwitterDev',
  usernames: 'TwitterDev,TwitterAPI',
  post_id: '1228393702244134912',
  tweet_id: '1228393702244134912',
  source_tweet_id: '1228393702244134912',
  user_id: '2244994945',
  source_user_id: '2244994945',
  target_user_id: '6253282',
  list_id: '84839422',
  media_id: '1146654567674912769',
  webhook_id: '1146654567674912769',
  subscription_id: '1146654567674912769',
  product_catalog_id: '1146654567674912769',
  name: 'Autumn',
  feed_url: 'https://example.com/products.csv',
  time_zone: 'Europe/Berlin',
  currency: 'EUR',
  creative_type: 'BANNER',
  placements: 'ALL_ON_TWITTER',
  scheduled_at: '2026-12-01T09:00:00Z',
  targeting_value: 'coffee',
  tracking_tag_url: 'https://example.com/tag',
  call_to_action_url: 'https://example.com/shop',
  metric_groups: 'ENGAGEMENT,BILLING',
  tweet_ids: '1228393702244134912',
  test_mode: 'true',
};

/** Ids of an advertiser's entities, of Posts and accounts, and of media. */
const IDS = ['8u94t', '2244994945', '13_1146654567674912769'];

/** A value that a parameter accepts; undefined if its schema alone tells enough. */
export function exampleOf(name: string, schema: v.GenericSchema): string | undefined {
  const ids = /_(?:id|ids|key)$/.test(name) ? IDS : [];
  return [EXAMPLES[name] ?? [], ids].flat().find((value) => v.is(schema, value));
}
