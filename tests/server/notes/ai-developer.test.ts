import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { openService, SERVICE_KIND } from '#server/auth/store.ts';
import { openStore } from '#server/db/migrate.ts';
import { SERVICE_16 } from '#server/migrations/service-16.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';

const file = temporaryFolder();

it('an approved note writer of an earlier version is an AI developer too', () => {
  const name = file('service.sqlite');
  const steps = SERVICE_KIND.steps.slice(0, SERVICE_KIND.steps.indexOf(SERVICE_16));
  const earlier = openStore(name, { ...SERVICE_KIND, steps }, () => {});
  const add = earlier.prepare(
    'INSERT INTO account (id, username, folded, created_at, profile) VALUES (?, ?, ?, 0, ?)',
  );
  earlier.write('accounts', () => {
    add.run(['1', 'ann', 'ann', '{"note_writer":true,"name":"Ann"}']);
    add.run(['2', 'bob', 'bob', '{"note_writer":false}']);
    add.run(['3', 'cat', 'cat', '{}']);
  });
  earlier.close();
  const service = openService(name, { random: (n) => randomBytes(n) });
  expect(service.accounts().map(({ profile }) => profile)).toEqual([
    { note_writer: true, name: 'Ann', ai_developer: true },
    { note_writer: false },
    {},
  ]);
  service.close();
});
