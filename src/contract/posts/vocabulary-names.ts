import type { Vocabulary } from '#contract/vocabulary.ts';
import type { Json } from '#core/import/json.ts';
import { RENAMED_FIELDS, USER_NAMES } from './post-fields.ts';

function renamed(json: Json, names: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [names[name] ?? name, value]),
  );
}

const METRIC_NAMES = { retweet_count: 'repost_count', tweet_count: 'post_count' };

/** A Post or a user, given in tweet names, in the names of a vocabulary. */
export function inVocabulary(json: Json, vocabulary: Vocabulary): Json {
  if (vocabulary === 'tweet') return json;
  const all = renamed(json, { ...(RENAMED_FIELDS as Record<string, string>), ...USER_NAMES });
  const metrics = all.public_metrics;
  return typeof metrics === 'object' && metrics !== null
    ? { ...all, public_metrics: renamed(metrics as Json, METRIC_NAMES) }
    : all;
}
