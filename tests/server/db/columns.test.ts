import { expect, test } from 'vitest';
import { column, columns, type RowOf } from '#server/db/columns.ts';
import { openDb } from '#server/db/driver.ts';
import { temporaryFolder } from './folder.ts';

const ROW = columns({
  id: column.decimal,
  post: column.exact,
  quoted: column.exactOrNull,
  kind: column.word<'first' | 'second'>(),
  otherKind: column.wordOrNull<'first'>(),
  name: column.text,
  fault: column.textOrNull,
  readAt: column.named('read_at', column.number),
  endedAt: column.numberOrNull,
  isOpen: column.named('open', column.flag),
  notes: column.json<readonly string[]>(),
  content: column.named('body', column.jsonOrNull<{ readonly n: number }>()),
  scopes: column.of<readonly string[]>(
    (cell) => String(cell).split(' '),
    (scopes) => scopes.join(' '),
  ),
});

const file = temporaryFolder();

test('a row is read as it was added, and changes where it was updated', () => {
  const db = openDb(file('rows'));
  db.exec(`CREATE TABLE row (id INTEGER PRIMARY KEY, post INTEGER, quoted INTEGER, kind TEXT, other_kind TEXT, name TEXT,
    fault TEXT, read_at INTEGER, ended_at INTEGER, open INTEGER, notes TEXT, body TEXT, scopes TEXT)`);
  const insert = ROW.insert(db, 'row', 'ON CONFLICT DO NOTHING');
  const find = ROW.select(db, 'row WHERE id = ?', 'exact');
  const all = ROW.select(db, 'row ORDER BY id DESC', 'exact');
  const update = ROW.update(db, 'row', ['endedAt', 'isOpen', 'notes'], 'id = ? AND open = 1');

  const empty = { quoted: null, otherKind: null, fault: null, endedAt: null, content: null };
  const common = { name: '', readAt: 1.5e12, notes: [] };
  const first: RowOf<typeof ROW> = {
    ...empty,
    ...common,
    id: '7',
    post: 1n,
    kind: 'second',
    isOpen: true,
    scopes: ['read'],
  };
  const second: RowOf<typeof ROW> = {
    ...common,
    id: '9223372036854775807',
    post: 2n ** 62n,
    quoted: 3n,
    kind: 'first',
    otherKind: 'first',
    fault: 'late',
    endedAt: 5,
    isOpen: false,
    content: { n: 1 },
    scopes: ['a', 'b'],
  };
  expect([insert(first), insert(second), insert(first)]).toEqual([1, 1, 0]);
  expect(find.get([7])).toEqual(first);
  expect(find.get([8])).toBeUndefined();
  expect(all.all()).toEqual([second, first]);

  const ended = { ...first, endedAt: 9, isOpen: false, notes: ['late'] };
  expect([update(ended, [7]), update(ended, [7])]).toEqual([1, 0]);
  expect(all.all()).toEqual([second, ended]);
  db.close();
});
