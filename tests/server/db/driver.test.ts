import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openDb } from '#server/db/driver.ts';
import { temporaryFolder } from './folder.ts';

const file = temporaryFolder();

test('a connection that is closed while it reads does not prevent others from moving the log into the file', () => {
  const name = file('read');
  const writer = openDb(name);
  writer.exec('CREATE TABLE number (n INTEGER); INSERT INTO number VALUES (1)');
  const reader = openDb(name);
  reader.exec('BEGIN');
  expect(reader.prepare('SELECT n FROM number').all()).toEqual([[1]]);
  writer.exec('INSERT INTO number VALUES (2)');
  reader.close();
  writer.close();
  expect(statSync(`${name}-wal`).size).toBe(0);
});
