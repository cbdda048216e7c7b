/**
 * Figures of entities, each of an hour or of a local day. `start` and `minutes` say which, `start` in minutes since 1970;
 * those of an entity and a placement do not overlap. `placement` is a number of `PLACEMENTS`. A metric that is not known
 * is NULL.
 */
export const ADS_2 = `
CREATE TABLE figure (
  entity INTEGER NOT NULL, placement INTEGER NOT NULL, start INTEGER NOT NULL, minutes INTEGER NOT NULL,
  impressions INTEGER, engagements INTEGER, clicks INTEGER, url_clicks INTEGER, likes INTEGER, replies INTEGER,
  retweets INTEGER, follows INTEGER, card_engagements INTEGER, app_clicks INTEGER, qualified_impressions INTEGER,
  carousel_swipes INTEGER, billed_engagements INTEGER, billed_charge_local_micro INTEGER, video_total_views INTEGER,
  video_views_25 INTEGER, video_views_50 INTEGER, video_views_75 INTEGER, video_views_100 INTEGER,
  video_content_starts INTEGER, video_cta_clicks INTEGER, video_3s100pct_views INTEGER, video_6s_views INTEGER,
  video_15s_views INTEGER,
  PRIMARY KEY (entity, placement, start, minutes)
) WITHOUT ROWID;
`;
