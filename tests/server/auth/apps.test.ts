import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { AppSecrets } from '#contract/accounts/apps.ts';
import { authOpener } from './opened.ts';

const { file, open } = authOpener();

function secretsOf(secrets: AppSecrets | undefined): AppSecrets {
  if (!secrets) throw new Error('expected secrets');
  return secrets;
}

it('a new app pays per use, and its token has its access and its limits', () => {
  const auth = open();
  const { apps, secrets } = auth.apps({ action: 'add', name: 'Reader', settings: {} });
  expect(apps).toEqual([expect.objectContaining({ name: 'Reader', access: 'pay-per-use' })]);
  const { bearer_token: token } = secretsOf(secrets);
  expect(auth.bearer(token)).toMatchObject({
    kind: 'app',
    access: 'pay-per-use',
    app: { id: apps[0]?.id, name: 'Reader' },
    pool: `app ${apps[0]?.id}`,
  });
  auth.apps({ action: 'set', name: 'READER', settings: { access: 'enterprise', limited: false } });
  expect(auth.bearer(token)).toMatchObject({ access: 'enterprise', pool: null });
});

it('no secret of an app is stored', () => {
  const auth = open();
  const { secrets } = auth.apps({ action: 'add', name: 'Reader', settings: {} });
  const contents = readdirSync(file('')).map((name) => readFileSync(file(name), 'latin1'));
  expect(contents.length).toBeGreaterThan(0);
  for (const secret of Object.values(secretsOf(secrets))) {
    expect(contents.some((content) => content.includes(String(secret)))).toBe(false);
  }
});

it('rotation replaces every secret, and the old token no longer works', () => {
  const auth = open();
  const before = auth.apps({ action: 'add', name: 'Reader', settings: {} });
  const after = auth.apps({ action: 'rotate', name: 'Reader' });
  const [old, fresh] = [secretsOf(before.secrets), secretsOf(after.secrets)];
  for (const name of ['api_key_secret', 'bearer_token', 'client_secret'] as const) {
    expect(fresh[name]).not.toBe(old[name]);
  }
  expect(after.apps[0]?.api_key).not.toBe(before.apps[0]?.api_key);
  expect(after.apps[0]?.client_id).toBe(before.apps[0]?.client_id);
  expect(auth.bearer(old.bearer_token)).toBeNull();
  expect(auth.bearer(fresh.bearer_token)).not.toBeNull();
});

it('removal revokes the tokens of the app', () => {
  const auth = open();
  const { secrets } = auth.apps({ action: 'add', name: 'Reader', settings: {} });
  const { token } = auth.issueUserToken({ name: 'alice', app: 'reader', limited: true });
  expect(auth.bearer(token)).toMatchObject({ kind: 'oauth2', app: { name: 'Reader' } });
  auth.apps({ action: 'remove', name: 'Reader' });
  expect(auth.bearer(token)).toBeNull();
  expect(auth.bearer(secretsOf(secrets).bearer_token)).toBeNull();
});

it('the dedicated app holds the tokens of the command line and cannot be removed', () => {
  const auth = open();
  const [dedicated] = auth.apps({ action: 'list' }).apps;
  expect(dedicated).toMatchObject({ id: '1', name: 'Command line', access: 'enterprise' });
  expect(() => auth.apps({ action: 'remove', name: 'Command line' })).toThrow('cannot be removed');
});

it('an app shows the username of its owner', () => {
  const auth = open();
  auth.accounts({ action: 'add', username: 'Ann', profile: {} });
  const { apps } = auth.apps({ action: 'add', name: 'A', settings: { owner: 'ANN' } });
  expect(apps[0]?.owner).toBe('Ann');
  const [same] = auth.apps({ action: 'set', name: 'A', settings: { early_access: true } }).apps;
  expect(same).toMatchObject({ owner: 'Ann', early_access: true });
  const [none] = auth.apps({ action: 'set', name: 'A', settings: { owner: null } }).apps;
  expect(none?.owner).toBeNull();
});
