import { PROBLEMS } from '#contract/fault.ts';

/** The reason a requested resource is absent from an answer that has others. */
export interface PartialError {
  readonly value: string;
  readonly detail: string;
  readonly title: string;
  readonly resource_type: 'tweet' | 'user' | 'list' | 'community' | 'news';
  /** The parameter that names the resource. */
  readonly parameter: string;
  readonly resource_id: string;
  readonly type: string;
}

type Named = Pick<PartialError, 'value' | 'resource_type' | 'parameter'>;

/** A resource that does not exist (recorded, platform-facts-additions 1.7). */
export function notFound(named: Named): PartialError {
  const { value, resource_type, parameter } = named;
  return {
    ...named,
    detail: `Could not find ${resource_type} with ${parameter}: [${value}].`,
    title: 'Not Found Error',
    resource_id: value,
    type: `${PROBLEMS}resource-not-found`,
  };
}

/** A resource that the caller may not see; its wording follows {@link notFound}. */
export function notAuthorized(named: Named): PartialError {
  const { value, resource_type, parameter } = named;
  const name = resource_type === 'tweet' ? 'Tweet' : resource_type;
  return {
    ...named,
    detail: `Sorry, you are not authorized to see the ${name} with ${parameter}: [${value}].`,
    title: 'Authorization Error',
    resource_id: value,
    type: `${PROBLEMS}not-authorized-for-resource`,
  };
}
