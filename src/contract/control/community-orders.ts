import * as v from 'valibot';
import { Username } from '#contract/accounts/accounts.ts';

const MAX_NAME = 30;
const MAX_MEMBERS = 1000;

/** Name of a community, which identifies it on the command line whatever its case. */
export const CommunityName = v.pipe(
  v.string(),
  v.trim(),
  v.check(
    (name) => name !== '' && Array.from(name).length <= MAX_NAME,
    `must have 1 to ${MAX_NAME} characters`,
  ),
);

/** The actions on communities. Members are accounts of this service. */
export const CommunityOrder = v.variant('action', [
  v.strictObject({ action: v.literal('list') }),
  v.strictObject({
    action: v.literal('add'),
    name: CommunityName,
    members: v.pipe(v.array(Username), v.maxLength(MAX_MEMBERS)),
  }),
  v.strictObject({ action: v.literal('remove'), name: CommunityName }),
  v.strictObject({
    action: v.picklist(['join', 'leave']),
    name: CommunityName,
    username: Username,
  }),
]);
export type CommunityOrder = v.InferOutput<typeof CommunityOrder>;

/** A community with the usernames of its members. */
export const CommunityInfo = v.object({
  id: v.string(),
  name: v.string(),
  created_at: v.string(),
  members: v.array(v.string()),
});
export type CommunityInfo = v.InferOutput<typeof CommunityInfo>;
