import { describe, expect, it } from 'vitest';
import {
  accountValues,
  readAccount,
  type AccountField,
} from '#app/developers/access/account-entry.ts';
import type { EntryValues } from '#app/settings/entry-form.svelte.ts';
import { account } from '#tests/app/settings/memory-service.ts';

const ANN = account('ann', { name: 'Ann', email: 'ann@example.com', verified_type: 'blue' });
const ACME = account('acme', { id: '9' });
const ALL = [ANN, ACME];
const read = (over: Partial<EntryValues<AccountField>>, of: typeof ANN | null = ANN) =>
  readAccount(of, { ...accountValues(of, ALL), ...over }, ALL);

describe('the form for an account', () => {
  it.each([
    [{ username: 'bob' }, 'bob', {}],
    [{ username: ' @Bob_1 ' }, 'Bob_1', {}],
    [{ username: 'bob', name: ' Bob ', protected: true }, 'bob', { name: 'Bob', protected: true }],
    [
      { username: 'bob', subscription_type: 'PremiumPlus' },
      'bob',
      { subscription_type: 'PremiumPlus' },
    ],
  ] as const)('adds an account by what was typed: %j', (typed, username, profile) => {
    expect(read(typed, null)).toEqual({ order: { action: 'add', username, profile }, wrong: {} });
  });

  it('sets only what changed, so that it does not undo the changes of others', () => {
    expect(read({})).toEqual({ order: null, wrong: {} });
    expect(read({ name: ' Ann ' })).toEqual({ order: null, wrong: {} });
    expect(read({ email: '', note_writer: true })).toEqual({
      order: { action: 'set', username: 'ann', profile: { email: '', note_writer: true } },
      wrong: {},
    });
  });

  it('gives another username, with what else changed', () => {
    const order = { action: 'set', username: 'ann', rename: 'ann_b' };
    expect(read({ username: '@ann_b ' }).order).toEqual({ ...order, profile: {} });
    expect(read({ username: 'ann_b', name: 'B' }).order).toEqual({
      ...order,
      profile: { name: 'B' },
    });
  });

  it('shows an affiliation by usernames, and removes its texts with it', () => {
    const affiliated = { ...ANN, affiliation: '9,8', affiliation_description: 'Acme' };
    expect(accountValues(affiliated, ALL).affiliation).toBe('acme, 8');
    expect(read({}, affiliated).order).toBeNull();
    const profile = { affiliation: '' };
    expect(read({ affiliation: ' ', affiliation_description: 'x' }, affiliated)).toEqual({
      order: { action: 'set', username: 'ann', profile },
      wrong: {},
    });
  });

  it.each([
    [{ username: '' }, 'username', 'Use 1 to 15 letters (A–Z), digits and underscores.'],
    [{ username: 'ä' }, 'username', 'Use 1 to 15 letters (A–Z), digits and underscores.'],
    [{ name: ' ' }, 'name', 'Name must not be empty.'],
    [{ name: '' }, 'name', 'Enter a name.'],
    [{ name: 'n'.repeat(51) }, 'name', 'Name has 51 characters; the limit is 50.'],
    [{ description: '😀'.repeat(161) }, 'description', 'Bio has 161 characters; the limit is 160.'],
    [{ location: 'l'.repeat(31) }, 'location', 'Location has 31 characters; the limit is 30.'],
    [{ url: 'example' }, 'url', 'Enter an address that begins with http:// or https://.'],
    [{ url: `https://${'u'.repeat(100)}` }, 'url', 'Website has 108 characters; the limit is 100.'],
    [{ affiliation: 'a b' }, 'affiliation', 'Enter usernames separated by commas.'],
    [
      { affiliation: '@acme', affiliation_url: 'x' },
      'affiliation_url',
      'Enter an address that begins with http:// or https://.',
    ],
    [{ email: 'ann' }, 'email', 'Enter an address like name@example.com.'],
  ] as const)('explains %j at its field', (typed, field, message) => {
    expect(read(typed)).toEqual({ order: null, wrong: { [field]: message } });
  });

  it('explains every mistake at once', () => {
    expect(Object.keys(read({ url: 'x', email: 'y', username: 'a b' }).wrong).sort()).toEqual([
      'email',
      'url',
      'username',
    ]);
  });
});
