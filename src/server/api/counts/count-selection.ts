import {
  COUNT_FIELDS,
  type CountField,
  type CountsRequest,
} from '#contract/counts/count-operations.ts';
import { invalidRequest } from '#contract/fault.ts';
import { vocabularyOf, type Vocabulary } from '#contract/vocabulary.ts';

/** The name of a bucket's number, by vocabulary (platform-facts-additions, section 0). */
export const COUNT_NAMES = { tweet: 'tweet_count', post: 'post_count' } as const;

/** The fields of a bucket, by tweet names, and the names of the answer. */
export interface CountSelection {
  readonly fields: readonly CountField[];
  readonly vocabulary: Vocabulary;
}

/**
 * The selection of a request for counts.
 *
 * @throws {@link Fault} 400 if it names the count in both vocabularies.
 */
export function countSelection(named: CountsRequest['search_count.fields']): CountSelection {
  const parameter = 'search_count.fields';
  const marks = (['tweet', 'post'] as const)
    .filter((vocabulary) => named.includes(COUNT_NAMES[vocabulary]))
    .map((vocabulary) => {
      const part = `the \`${parameter}\` value [${COUNT_NAMES[vocabulary]}]`;
      return { parameter, part, vocabulary };
    });
  const vocabulary = vocabularyOf(marks);
  if (typeof vocabulary !== 'string') {
    throw invalidRequest(parameter, named.join(','), vocabulary.message);
  }
  const has = (field: CountField): boolean =>
    named.includes(field === 'tweet_count' ? COUNT_NAMES[vocabulary] : field);
  return { fields: COUNT_FIELDS.filter(has), vocabulary };
}
